// The stream of samples: it connects again by itself, and says how it is.
//
//   connecting ─▶ live ─▶ silent (the server does not answer) ─▶ live
//                   └▶ over (the session is gone: the form of a login)
// What always holds: while the server is gone it is asked every two seconds and not more often; a session that is gone leads to the
// form, and from there back to the screen that was open.

const AGAIN_MS = 2000;

/** Asks the server; a session that is gone leads to the login. */
export async function ask(path, options = {}) {
  const answer = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options });
  if (answer.status === 401) {
    leave();
    throw new Error('log in again');
  }
  const type = answer.headers.get('content-type') ?? '';
  const body = type.startsWith('application/json') ? await answer.json() : { error: await answer.text() };
  if (!answer.ok) throw Object.assign(new Error(body.error ?? `HTTP ${answer.status}`), { status: answer.status });
  return body;
}

/** To the form of a login. */
export function leave(words = 'again') {
  sessionStorage.setItem('screen', location.hash);
  location.assign(words ? `/login?${words}` : '/login');
}

/** Samples as they come. */
export class Link {
  constructor({ sample, state }) {
    this.tell = state;
    this.sample = sample;
    this.open();
  }

  open() {
    this.source = new EventSource('/api/live');
    this.source.addEventListener('sample', (event) => {
      this.tell('live', '');
      this.sample(JSON.parse(event.data));
    });
    this.source.addEventListener('stopping', () => this.tell('silent', 'The server is stopping.'));
    this.source.addEventListener('lost', (event) => {
      this.source.close();
      this.tell('over', JSON.parse(event.data).error);
      setTimeout(() => leave('lost'), AGAIN_MS);
    });
    this.source.addEventListener('error', () => {
      this.tell('silent', 'The server does not answer. Trying again every two seconds.');
      // A refusal closes the stream; a connection that broke is tried again by the browser.
      if (this.source.readyState === EventSource.CLOSED) setTimeout(() => this.again(), AGAIN_MS);
    });
  }

  async again() {
    try {
      await ask('/api/me');
      this.open();
    } catch (error) {
      if (error.message !== 'log in again') setTimeout(() => this.again(), AGAIN_MS);
    }
  }
}
