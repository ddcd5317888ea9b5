import type { Answered, ProbedPlace } from '../loop-delay/place.ts'
import type { Request } from '../loop-delay/requests.ts'

/** What one heartbeat may have at most of each, within its 10 MiB. */
const [HELD, PROBLEMS, STATISTICS, DECISIONS] = [20_000, 1000, 5000, 1000] as const
const MIB = 1024 * 1024
/** Engines of one environment, and rulesets that are live in it. */
const [ENGINES, LIVE] = [100, 50] as const
/** Engines that report as much as they may: each is 10 MiB in the database. */
const LOUD = 20

const digestOf = (index: number) => index.toString(16).padStart(64, '0')

/** As many lists of one number as fit, which are most costly for their size. */
const smallValues = (bytes: number) => Array.from({ length: Math.floor(bytes / 4) }, (_, index) => [index % 10])

const held = () =>
  Array.from({ length: HELD }, (_, index) => ({
    name: `ruleset-${index}`.padEnd(128, 'x'),
    version: '1'.padEnd(256, '0'),
    digest: digestOf(index),
  }))

const problems = (bytes: number) =>
  Array.from({ length: PROBLEMS }, () => ({ message: smallValues(Math.floor(bytes / PROBLEMS) - 20) }))

const codes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`CODE_${index}`, index + 1]))

let total = 0

/** Statistics that differ from those before. */
const statistics = (rows: number, codesOfEach: number) =>
  Array.from({ length: rows }, (_, index) => ({
    tenant: null,
    name: `ruleset-${index}`,
    digest: digestOf(index),
    ok: ++total,
    error: total,
    codes: codes(codesOfEach),
    duration: { counts: Array.from({ length: 23 }, () => total), sum_seconds: total },
  }))

let seq = 0

const decisions = (count: number, bytes: number) =>
  Array.from({ length: count }, () => ({
    seq: ++seq,
    at: new Date().toISOString(),
    tenant: null,
    name: 'live-0',
    digest: digestOf(1),
    code: 'DONE',
    input: JSON.stringify({ list: smallValues(bytes) }),
    output: '{}',
  }))

/** An engine that is registered. */
export interface Registered {
  readonly id: string
  beat(more: object): Promise<Answered>
}

/** Register an engine of the organization. */
export async function registered(
  { engine }: ProbedPlace,
  token: string,
  name: string,
  more: object = {},
): Promise<Registered> {
  const body = { name, instance_id: name, version: '1.0.0', tenants: false, ...more }
  const { text } = await engine('/api/v1/internal/register', { 'x-connect-token': token }, JSON.stringify(body))
  const { server_id: id, server_token } = JSON.parse(text)
  return {
    id,
    beat: (told) =>
      engine(
        '/api/v1/internal/heartbeat',
        { authorization: `Bearer ${server_token}` },
        JSON.stringify({ session: 's', applied_revision: 0, wait_ms: 0, ...told }),
      ),
  }
}

/** A token by which engines register. */
export async function connectToken({ org, send }: ProbedPlace): Promise<string> {
  return JSON.parse((await send('POST', `${org}/connect-tokens`, '{}')).text).token
}

/** A ruleset of one step. */
export const smallest = (name: string) =>
  JSON.stringify({
    expected_seq: 0,
    ruleset: {
      config: { name, version: '1.0.0' },
      startStepId: 'end',
      steps: [{ id: 'end', type: 'terminal', code: 'DONE' }],
    },
  })

/** Engines with reports of maximum size, and their directory. */
export async function ofEngines(place: ProbedPlace, path: string): Promise<readonly Request[]> {
  const { send, engine } = place
  const token = await connectToken(place)
  for (let index = 0; index < LIVE; index++) {
    await send('POST', `${path}/rulesets/live-${index}`, smallest(`live-${index}`))
    await send('POST', `${path}/rulesets/live-${index}/publish`, '{"environment":"dev"}')
  }
  await send('PUT', `${path}/environments/dev/recording`, '{"rate":100,"mask":["a.b.c"]}')
  const one = await registered(place, token, 'one')
  const many: string[] = []
  for (let index = 0; index < ENGINES; index++) many.push((await registered(place, token, `engine-${index}`)).id)
  const loud = await Promise.all(Array.from({ length: LOUD }, (_, index) => registered(place, token, `loud-${index}`)))
  for (const { beat } of loud) await beat({ rulesets: held(), problems: problems(MIB) })
  const bind = (ids: readonly string[]) =>
    send('PUT', `${path}/server`, JSON.stringify({ environment: 'dev', server_ids: ids }))
  await bind([one.id])
  const beat = (title: string, more: () => object): Request => ({
    title: `heartbeat with ${title}`,
    status: 200,
    send: () => one.beat(more()),
  })
  const get = (title: string, to: string): Request => ({ title, status: 200, send: () => send('GET', `/api/v1${to}`) })
  return [
    {
      title: 'register an engine of 1,000 capabilities',
      status: 200,
      send: () =>
        engine(
          '/api/v1/internal/register',
          { 'x-connect-token': token },
          JSON.stringify({
            name: 'n'.repeat(255),
            instance_id: 'i',
            url: `http://${'h'.repeat(2000)}`,
            version: '1.0.0',
            capabilities: Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(128, 'x')),
          }),
        ),
    },
    beat('20,000 rulesets, 10 MiB', () => ({ rulesets: held() })),
    beat('1,000 problems, 10 MiB', () => ({ problems: problems(10 * MIB - 200_000) })),
    beat('a health of 10 MiB', () => ({ health: { status: 'healthy', checks: smallValues(10 * MIB - 1000) } })),
    beat('statistics of 5,000 contents, 10 MiB', () => ({ stats: statistics(STATISTICS, 100) })),
    beat('statistics of 500 contents of 1,000 codes', () => ({ stats: statistics(500, 1000) })),
    beat('1,000 decisions of 10 KiB', () => ({
      recording: { tag: null, decisions: decisions(DECISIONS, 9.5 * 1024) },
    })),
    beat('20 decisions of 500 KiB', () => ({ recording: { tag: null, decisions: decisions(20, 490 * 1024) } })),
    {
      title: `the engines, ${LOUD} of them with reports of 10 MiB`,
      status: 200,
      send: () => send('GET', '/api/v1/servers?limit=200'),
    },
    get('one of them', `/servers/${loud[0]?.id}`),
    get('its health', `/servers/${loud[0]?.id}/health`),
    get('history of an engine of 5,000 contents', `/servers/${one.id}/metrics`),
    {
      title: `bind ${ENGINES} engines to an environment of ${LIVE} rulesets`,
      status: 200,
      async send() {
        await bind([])
        return bind(many)
      },
    },
    {
      title: 'recorded decisions of 10 KiB, 200 of them',
      status: 200,
      send: () => send('GET', `${path}/rulesets/live-0/decisions?limit=200`),
    },
  ]
}
