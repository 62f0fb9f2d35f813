// A session whole, in a dialog: what it does, who blocks it, its statement, its plan, and its end after a question.
//
// What always holds: Escape closes it; nothing is ended without a second button, which names the session.

import { ask } from './link.js';
import { el, put } from './dom.js';
import { planView } from './plan.js';
import { amount, mbOfKb, oneLine, time, whole } from './units.js';

/** The dialog, which follows a session from sample to sample. */
export class SessionDialog {
  constructor(node, context) {
    this.node = node;
    this.context = context;
    node.addEventListener('close', () => {
      this.id = null;
      this.back?.focus?.();
    });
    node.addEventListener('click', (event) => {
      if (event.target === node) node.close();
    });
  }

  /** Opens it; `from` has the focus again when it closes. */
  open(id, from) {
    this.id = id;
    this.back = from;
    this.facts = el('dl', { class: 'facts' });
    this.statement = el('pre', { class: 'statement' });
    this.words = el('p', { class: 'words', role: 'status' });
    this.plan = el('div', {});
    this.title = el('h2', { id: 'session-title' }, `Session ${id}`);
    const close = el('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => this.node.close() }, '✕');
    const kill = el('button', { type: 'button', class: 'danger', onclick: () => this.#question() }, 'End session…');
    kill.hidden = !this.context.me?.may_kill;
    this.question = el('div', { class: 'question', hidden: true });
    const plan = el('button', { type: 'button', onclick: () => this.#plan() }, 'Show its plan');
    this.node.replaceChildren(
      el('div', { class: 'dialoghead' }, this.title, el('span', { class: 'space' }), close),
      this.facts, el('h3', {}, 'Statement'), this.statement,
      el('div', { class: 'buttons' }, plan, kill), this.question, this.words, this.plan);
    this.show(this.context.latest);
    if (!this.node.open) this.node.showModal();
    close.focus();
  }

  /** Shows what a sample says of the session. */
  show(sample) {
    if (this.id === null || this.id === undefined || !sample) return;
    const it = sample.sessions.find((session) => session.session_id === this.id);
    if (!it) {
      put(this.words, `Session ${this.id} has ended.`);
      return;
    }
    const blocks = sample.sessions.filter((other) => other.blocked_by === this.id).map((other) => other.session_id);
    const grant = it.grant_kb === null ? '–' : `${mbOfKb(it.grant_kb)} MB, ${mbOfKb(it.grant_used_kb ?? 0)} MB in use`;
    const known = [
      ['Login', `${oneLine(it.login)} from ${oneLine(it.host)}`],
      ['Program', oneLine(it.program)],
      ['Database', oneLine(it.database)],
      ['State', `${it.status}${it.command ? `, ${it.command}` : ''}`],
      ['Elapsed', it.elapsed_ms === null ? `idle for ${time((it.idle_s ?? 0) * 1000)}` : time(it.elapsed_ms)],
      ['CPU', `${amount(it.cpu_ms_per_s)} ms/s, ${time(it.cpu_ms)} in all`],
      ['Reads', `${whole(it.reads)}, ${whole(it.logical_reads)} logical`],
      ['Writes', whole(it.writes)],
      ['tempdb', `${mbOfKb(it.tempdb_user_objects_kb)} MB user objects, ${mbOfKb(it.tempdb_internal_objects_kb)} MB internal objects`],
      ['Memory grant', grant],
      ['Transactions', whole(it.open_transactions)],
      ['Waits for', it.wait_type ? `${it.wait_type} ${time(it.wait_ms)} ${oneLine(it.wait_resource ?? '')}` : 'nothing'],
      ['Blocked by', it.blocked_by ? `session ${it.blocked_by}` : 'none'],
      ['Blocks', blocks.length > 0 ? blocks.join(', ') : 'none'],
    ];
    if (this.facts.children.length === 0) this.facts.append(...known.flatMap(([name]) => [el('dt', {}, name), el('dd', {})]));
    known.forEach(([, value], at) => put(this.facts.children[at * 2 + 1], value));
    put(this.statement, it.statement ?? 'not known');
  }

  #question() {
    const id = this.id;
    const yes = el('button', { type: 'button', class: 'danger', onclick: () => this.#kill(id) }, `End session ${id}`);
    const no = el('button', { type: 'button', onclick: () => { this.question.hidden = true; } }, 'Keep it');
    this.question.replaceChildren(el('p', {}, `Session ${id} is ended: its statement stops and its transaction is rolled back.`), el('div', { class: 'buttons' }, yes, no));
    this.question.hidden = false;
    no.focus();
  }

  async #kill(id) {
    this.question.hidden = true;
    try {
      const answer = await ask(`/api/kill?session=${id}`, { method: 'POST', headers: { 'X-Millpond-Guard': this.context.me.guard } });
      put(this.words, answer.words);
    } catch (error) {
      put(this.words, error.message);
    }
  }

  async #plan() {
    try {
      this.plan.replaceChildren(planView(await ask(`/api/plan?session=${this.id}`)));
      put(this.words, '');
    } catch (error) {
      put(this.words, error.message);
    }
  }
}
