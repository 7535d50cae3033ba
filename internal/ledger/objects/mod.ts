/** All kinds of objects, by ascending tag. A new one is its file and its line here. */
import type { AnyObjectKind } from "../object_kind.ts";
import { accountKind } from "./account.ts";
import { allotmentKind } from "./allotment.ts";
import { assetKind } from "./asset.ts";
import { beaconKind } from "./beacon.ts";
import { bondKind } from "./bond.ts";
import { charterKind } from "./charter.ts";
import { claimKind } from "./claim.ts";
import { delegationKind } from "./delegation.ts";
import { identityKind } from "./identity.ts";
import { memoryLogKind } from "./memory_log.ts";
import { rewardMarkKind } from "./reward_mark.ts";
import { stakingKind } from "./staking.ts";
import { storageDealKind } from "./storage_deal.ts";
import { taskKind } from "./task.ts";
import { validatorKind } from "./validator.ts";
import { validatorKeyKind } from "./validator_key.ts";
import { validatorSetKind } from "./validator_set.ts";

/** The product's object kinds. */
export const objectKinds: readonly AnyObjectKind[] = [
  accountKind,
  assetKind,
  identityKind,
  charterKind,
  allotmentKind,
  bondKind,
  claimKind,
  taskKind,
  storageDealKind,
  beaconKind,
  memoryLogKind,
  validatorKind,
  validatorKeyKind,
  validatorSetKind,
  delegationKind,
  stakingKind,
  rewardMarkKind,
];
