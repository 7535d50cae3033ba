/** How the rest of a node tells its peers apart: by numbers. */

/** Peers below are validators, by their index; above are followers, each connection anew. */
export const FIRST_FOLLOWER = 256;

/** Whether what came from this peer came from a follower. */
export function isFollower(peer: number): boolean {
  return peer >= FIRST_FOLLOWER;
}
