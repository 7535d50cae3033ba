/** The version of this program, as its manifests have it (a test compares them). */
export const VERSION = "0.1.0";
