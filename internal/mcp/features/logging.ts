/** Log messages to clients. Only the legacy era has a method for it; later a request names its level. */
import { readLogLevel } from "../peer.ts";
import type { Feature } from "./_feature.ts";

export const logging: Feature = {
  capability: "logging",
  declare: ({ offers }) => offers.logs === true ? {} : undefined,
  methods: [{
    name: "logging/setLevel",
    eras: ["legacy"],
    run({ session, params }) {
      session.logLevel = readLogLevel(params["level"]);
      return {};
    },
  }],
};
