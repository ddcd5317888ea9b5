import { createServer } from 'node:http'
import type { ProbedPlace } from '../loop-delay/place.ts'
import type { Request } from '../loop-delay/requests.ts'
import { connectToken, registered, smallest } from './engines.ts'
import { portOf } from '../port-of.ts'

/** The largest body that the proxy takes, nearly. */
const BODY = 10 * 1024 * 1024 - 4096

/** Decisions of 10 MiB in both directions, by an engine in this process that echoes its input. */
export async function ofProxy(place: ProbedPlace, path: string): Promise<readonly Request[]> {
  const { send } = place
  const echo = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    request.pipe(response)
  })
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  echo.unref()
  const url = `http://127.0.0.1:${portOf(echo)}`
  // The engine in this process claims to have every requested ruleset.
  await send('PUT', `${path}/environments/prod`, JSON.stringify({ allow_local_rulesets: true }))
  const engine = await registered(place, await connectToken(place), 'echo', { url })
  await send('PUT', `${path}/server`, JSON.stringify({ environment: 'prod', server_ids: [engine.id] }))
  await send('POST', `${path}/rulesets/few`, smallest('few'))
  const body = JSON.stringify({ input: { text: 'x'.repeat(BODY) } })
  const id = path.split('/').at(-1)
  const pass = (title: string, to: string): Request => ({
    title,
    status: 200,
    async send() {
      await engine.beat({})
      return send('POST', `/api/v1/engine/${id}/${to}`, body)
    },
  })
  return [
    pass('a decision of 10 MiB through the proxy, with an answer of 10 MiB', 'execute/few'),
    pass('a batch of 10 MiB, likewise', 'execute/few/batch'),
  ]
}
