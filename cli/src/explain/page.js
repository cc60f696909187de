"use strict";
const tabs = [...document.querySelectorAll('[role=tab]')];
const panels = [...document.querySelectorAll('[role=tabpanel]')];
function show(n, focus) {
  tabs.forEach((t, i) => { t.setAttribute('aria-selected', i === n ? 'true' : 'false'); t.tabIndex = i === n ? 0 : -1; });
  panels.forEach((p, i) => { p.hidden = i !== n; });
  if (focus) tabs[n].focus();
  begin(panels[n]);
}
// The source begins where there is code, when a panel is shown for the first time.
function begin(panel) {
  const first = panel && !panel.dataset.begun && panel.querySelector('.panes tr[data-line]:not([data-line="0"])');
  if (!first) return;
  panel.dataset.begun = 'yes';
  const pane = first.closest('.pane');
  pane.scrollTop += first.getBoundingClientRect().top - pane.getBoundingClientRect().top - 60;
}
tabs.forEach((t, i) => {
  t.onclick = () => show(i, false);
  t.onkeydown = e => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (by) { show((i + by + tabs.length) % tabs.length, true); e.preventDefault(); }
  };
});
if (tabs.length > 0) show(0, false);
else begin(panels[0]);
// What is known of an instruction stands above the panes too, for who has no pointer to hold over it.
document.querySelectorAll('.panes:has(.machine)').forEach(p => {
  const told = document.createElement('p');
  told.className = 'told';
  told.setAttribute('aria-live', 'polite');
  told.innerText = 'An instruction that is pointed at or clicked says here what it reads and what it waits for.';
  p.before(told);
});
function tell(of, panel) {
  const told = panel.querySelector('.told');
  if (told && of.title) told.innerText = of.title.split('\n').join('; ');
}
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
  tell(of, panel);
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
// Rounds that no constant says can be changed: lines, units and what binds follow.
function again(panel) {
  const loops = [...panel.querySelectorAll('[data-loop]')];
  const factor = [1];
  loops.forEach((l, k) => {
    const field = l.querySelector('input');
    const own = field && field.value !== '' && Number(field.value) >= 0 ? Number(field.value) / Number(field.dataset.rounds) : 1;
    factor[k + 1] = own * factor[Number(l.dataset.around)];
  });
  const names = [...panel.querySelectorAll('.panes thead th')].map(h => h.innerText).filter(n => n.startsWith('cycles_'));
  const sums = names.map(() => 0);
  const rows = [...panel.querySelectorAll('tr[data-parts]')].map(row => {
    const parts = row.dataset.parts.split(' ').filter(p => p).map(p => p.split(':'));
    const cycles = names.map(() => 0);
    let [runs, before] = [0, 0];
    for (const [inside, n, list] of parts) {
      runs = Math.max(runs, n * factor[inside]);
      before = Math.max(before, n);
      list.split(',').forEach((c, k) => { if (c !== '') cycles[k] += c * factor[inside]; });
    }
    cycles.forEach((c, k) => { sums[k] += c; });
    const cell = row.querySelector('.runs');
    if (before > 0) cell.innerText = Math.round(cell.dataset.runs * runs / before);
    return { row, cycles, all: cycles.reduce((a, c) => a + c, 0) };
  });
  const most = Math.max(1, ...rows.map(r => r.all));
  for (const { row, cycles, all } of rows) {
    const heat = all > 0 ? `rgba(var(--heat), ${(0.5 * Math.sqrt(all / most)).toFixed(2)})` : '';
    row.querySelector('.source').style.background = heat;
    row.querySelectorAll('.cycles').forEach((c, k) => { c.innerText = Math.round(cycles[k]); c.style.background = heat; });
  }
  const bound = panel.querySelector('.bound');
  if (!names.length || !bound) return;
  const order = names.map((n, k) => [n.replace('cycles_', ''), Math.round(sums[k])]).sort((a, b) => b[1] - a[1]);
  const unit = bound.dataset.unit;
  bound.innerText = `bound by ${order[0][0]}; ${unit} by unit: ` + order.map(o => o.join(' ')).join(', ');
}
document.addEventListener('input', e => {
  if (e.target.matches('[data-rounds]')) again(e.target.closest('[role=tabpanel]'));
});
