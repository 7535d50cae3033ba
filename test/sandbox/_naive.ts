/** A sandbox as one writes it first. What the probes find in it shows that they find something. */
export function naiveArguments(workspace: string): readonly string[] {
  return [
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--unshare-pid",
    "--die-with-parent",
  ]
    .concat("--bind", workspace, workspace, "--chdir", workspace);
}
