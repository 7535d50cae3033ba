import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPublicAddress } from "#internal/runtime/mod.ts";

describe("isPublicAddress()", () => {
  test("isPublicAddress() says yes or no of any text, and one thing of one address", () => {
    const text = fc.oneof(fc.string(), fc.ipV4(), fc.ipV4Extended(), fc.ipV6());
    fc.assert(fc.property(text, (address) => {
      expect(typeof isPublicAddress(address)).toBe("boolean");
      expect(isPublicAddress(address)).toBe(isPublicAddress(address.toUpperCase()));
    }));
    fc.assert(fc.property(fc.ipV4(), (address) => {
      expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
      expect(isPublicAddress(`64:ff9b::${address}`)).toBe(isPublicAddress(address));
    }));
  });

  test("isPublicAddress() takes addresses of the internet", () => {
    const some = [
      "1.1.1.1",
      "8.8.8.8",
      "9.255.255.255",
      "11.0.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "172.15.255.255",
      "172.32.0.0",
      "192.167.255.255",
      "192.169.0.0",
      "198.17.255.255",
      "198.20.0.0",
      "223.255.255.255",
      "2606:4700:4700::1111",
      "2a00:1450:4001:82a::200e",
      "2001:4860:4860::8888",
      "::ffff:8.8.8.8",
      "::ffff:808:808",
      "64:ff9b::8.8.8.8",
    ];
    expect(some.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  test("isPublicAddress() takes nothing of this machine, its networks, or what stands for them", () => {
    const some = [
      "0.0.0.0",
      "0.1.2.3",
      "10.0.0.1",
      "100.64.0.1",
      "100.127.255.255",
      "127.0.0.1",
      "127.255.255.255",
      "169.254.169.254",
      "172.16.0.1",
      "172.31.255.255",
      "192.0.0.1",
      "192.0.2.1",
      "192.88.99.1",
      "192.168.1.1",
      "198.18.0.1",
      "198.19.255.255",
      "198.51.100.7",
      "203.0.113.7",
      "224.0.0.1",
      "239.255.255.250",
      "240.0.0.1",
      "255.255.255.255",
      "::",
      "::1",
      "::7f00:1",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::ffff:10.0.0.1",
      "0:0:0:0:0:ffff:c0a8:0101",
      "64:ff9b::10.0.0.1",
      "64:ff9b:1::8.8.8.8",
      "100::1",
      "2001::1",
      "2001:10::1",
      "2001:db8::1",
      "2002:7f00:1::",
      "3fff::1",
      "fc00::1",
      "fd12:3456::1",
      "fe80::1",
      "fe80::1%eth0",
      "fec0::1",
      "ff02::1",
      "4000::1",
      "localhost",
      "1.1.1",
      "01.1.1.1",
      "0x7f.1",
      "2130706433",
      "",
    ];
    expect(some.filter(isPublicAddress)).toEqual([]);
  });
});
