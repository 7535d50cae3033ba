/**
 * The look of the pages. Text and links have a contrast of at least 4.5 : 1 in both modes, nothing
 * is said by colour alone, everything fits 320 pixels, nothing moves.
 */

/** `/style.css`. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fbfaf7; --surface: #ffffff; --text: #1d1c19; --soft: #5a564c;
  --line: #d6d1c4; --link: #0b4d87; --good: #12602d; --bad: #a1121b; --warn: #744700;
  --focus: #0b4d87; --tint: #f1ede3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14161a; --surface: #1b1e24; --text: #e9e7e2; --soft: #aba79e;
    --line: #3c414b; --link: #8fc4ff; --good: #7ddb93; --bad: #ff9d97; --warn: #f2c879;
    --focus: #8fc4ff; --tint: #232730;
  }
}
* { box-sizing: border-box; }
html { font: 100%/1.55 system-ui, sans-serif; background: var(--ground); color: var(--text);
  -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 0 1rem 4rem; max-width: 64rem; overflow-wrap: break-word; }
a { color: var(--link); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1.5rem 0 .75rem; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p, ul, ol, dl, pre { margin: .5rem 0; }
code, pre, .id { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9em;
  overflow-wrap: anywhere; }
pre { white-space: pre-wrap; background: var(--tint); padding: .75rem; border-radius: .4rem;
  max-height: 30rem; overflow: auto; }
code { background: var(--tint); padding: .1em .3em; border-radius: .25em; }
.whole { white-space: nowrap; }
pre code { background: none; padding: 0; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--surface); padding: .5rem; z-index: 1; }
header { border-bottom: 1px solid var(--line); padding: .5rem 0 .75rem; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; }
.brand { font-weight: 700; font-size: 1.1rem; margin-right: .25rem; }
.brand a { color: inherit; text-decoration: none; display: flex; gap: .45rem; align-items: center;
  min-height: 2rem; }
nav ul { display: flex; flex-wrap: wrap; list-style: none; margin: 0; padding: 0; gap: 0 .75rem; }
nav a { display: inline-block; padding: .45rem 0; }
nav a[aria-current] { font-weight: 700; color: var(--text); text-decoration-thickness: .15em; }
form { display: flex; align-items: center; gap: .5rem; flex: 1 1 16rem; max-width: 34rem; min-width: 0; }
input { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--soft);
  border-radius: .35rem; padding: .4rem .6rem; flex: 1 1 0; width: 1px; min-width: 0; min-height: 2.5rem; }
button { font: inherit; color: var(--text); background: var(--tint); border: 1px solid var(--soft);
  border-radius: .35rem; padding: .4rem .8rem; min-height: 2.5rem; cursor: pointer; }
.asof { color: var(--soft); margin: .6rem 0 0; display: flex; flex-wrap: wrap; gap: .25rem .9rem;
  align-items: center; }
.asof button { font-size: .9rem; min-height: 2rem; padding: .1rem .6rem; }
.soft { color: var(--soft); }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.warn { color: var(--warn); font-weight: 600; }
.notice { border: 1px solid var(--line); border-left: .35rem solid var(--warn);
  background: var(--surface); padding: .6rem .9rem; border-radius: .4rem; margin: 1rem 0; }
.notice.bad-edge { border-left-color: var(--bad); }
.notice p { margin: .25rem 0; }
.card { border: 1px solid var(--line); background: var(--surface); border-radius: .5rem;
  padding: .75rem 1rem; margin: .75rem 0; }
.card > :first-child { margin-top: 0; }
.card > :last-child { margin-bottom: 0; }
.sentence { font-size: 1.2rem; line-height: 1.4; margin: .5rem 0 .75rem; }
.checks { list-style: none; padding: 0; margin: .5rem 0; }
.checks li { padding: .3rem 0 .3rem 1.7rem; position: relative; border-top: 1px solid var(--line); }
.checks li:first-child { border-top: 0; }
.checks .mark { position: absolute; left: 0; width: 1.4rem; text-align: center; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; }
.rows { list-style: none; padding: 0; }
.rows > li { padding: .55rem 0; border-top: 1px solid var(--line); }
.rows > li:first-child { border-top: 0; }
.rows .soft { font-size: .93rem; }
.told { list-style: none; margin: .15rem 0 0; padding: 0 0 0 .9rem; border-left: 2px solid var(--line); }
.told li { padding: .1rem 0; }
.beside ul { justify-content: space-between; max-width: 30rem; align-items: center; }
.tree, .tree ul { list-style: none; padding: 0; margin: 0; }
.tree ul { margin-left: .55rem; padding-left: .9rem; border-left: 2px solid var(--line); }
.tree li { padding: .5rem 0; }
.bar-of { display: block; width: 100%; max-width: 22rem; height: .65rem; margin: .3rem 0; }
.bar-of .all { fill: var(--line); }
.bar-of .left { fill: var(--good); }
.bar-of .stopped { fill: var(--bad); }
.drawing { overflow-x: auto; padding: .5rem 0; }
.drawing text { font: 13px ui-monospace, "DejaVu Sans Mono", monospace; fill: var(--text); }
.drawing .gate { fill: var(--tint); stroke: var(--soft); }
.drawing .atom { fill: var(--surface); stroke: var(--link); }
.drawing .wire { fill: none; stroke: var(--soft); stroke-width: 1.5; }
.drawing .gate-text { font-weight: 700; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: .75rem;
  color: var(--soft); font-size: .93rem; }
.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
[hidden] { display: none !important; }
@media (max-width: 34rem) {
  header { position: relative; }
  .asof { font-size: .88rem; gap: .25rem .6rem; }
  .asof button { position: absolute; top: .5rem; right: 0; }
  .tree ul { margin-left: .15rem; padding-left: .5rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
}
@media (prefers-reduced-motion: no-preference) {
  .skip, a, button { transition: outline-offset .1s; }
}
@media (forced-colors: active) {
  .card, .notice, button, input { border-color: CanvasText; }
}
`.trim();

/** `/icon.svg`. */
export const ICON =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" ` +
  `rx="7" fill="#0b4d87"/><path d="M5 17h5l3-8 5 15 4-11 2 4h3" fill="none" stroke="#fff" ` +
  `stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
