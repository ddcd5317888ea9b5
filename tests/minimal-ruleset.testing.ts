/** The smallest ruleset of a name. */
export function minimal(name: string, code = 'OK') {
  return {
    config: { name, entry_step: 'end' },
    steps: { end: { id: 'end', type: 'terminal', result: { code, message: '' } } },
  }
}

/** A request with a JSON body. */
export function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    // A connection that is kept would be waited for at each stop.
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}
