"use strict";
const tabs = [...document.querySelectorAll('[role=tab]')];
const panels = [...document.querySelectorAll('[role=tabpanel]')];
function show(n, focus) {
  tabs.forEach((t, i) => { t.setAttribute('aria-selected', i === n ? 'true' : 'false'); t.tabIndex = i === n ? 0 : -1; });
  panels.forEach((p, i) => { p.hidden = i !== n; });
  if (focus) tabs[n].focus();
}
tabs.forEach((t, i) => {
  t.onclick = () => show(i, false);
  t.onkeydown = e => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (by) { show((i + by + tabs.length) % tabs.length, true); e.preventDefault(); }
  };
});
if (tabs.length > 0) show(0, false);
// Whatever is of the line under the pointer or the focus lights up in its panel.
let lit = [];
let now = null;
function light(at, follow) {
  const of = at && at.closest('[data-line]');
  if (of === now) return;
  now = of;
  lit.forEach(e => e.classList.remove('lit'));
  lit = [];
  if (!of) return;
  const panel = of.closest('[role=tabpanel]');
  if (!panel) return;
  lit = [...panel.querySelectorAll('[data-line="' + of.dataset.line + '"]')];
  lit.forEach(e => e.classList.add('lit'));
  const pane = of.closest('.pane');
  if (!follow) return;
  // The first one in each of the other panes that are open.
  const seen = new Set([pane]);
  for (const e of lit) {
    const own = e.closest('.pane');
    if (seen.has(own) || e.getClientRects().length === 0) continue;
    seen.add(own);
    e.scrollIntoView({ block: 'nearest' });
  }
}
document.addEventListener('mouseover', e => light(e.target, false));
document.addEventListener('focusin', e => light(e.target, true));
document.addEventListener('click', e => light(e.target, true));
document.addEventListener('keydown', e => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  const of = by && document.activeElement.closest('[data-line][tabindex]');
  if (!of) return;
  const all = [...of.closest('.pane').querySelectorAll('[data-line][tabindex]')];
  const next = all[all.indexOf(of) + by];
  if (next) { next.focus(); e.preventDefault(); }
});
