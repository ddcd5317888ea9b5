import type { Announcement, Service } from '@engine/process'

/** The data of the start text. */
export interface Started {
  readonly version: string
  /** TCP address; undefined if there is only a socket. */
  readonly url: string | undefined
  /** Address of gRPC over TCP; undefined if there is none. */
  readonly grpc: string | undefined
  readonly socket: string | undefined
  /** Names of the stored rulesets. */
  readonly rulesets: readonly string[]
  /** Undefined if rulesets are kept in memory only. */
  readonly rulesDirectory: string | undefined
  readonly tokens: boolean
}

/** A composed engine. */
export type Engine = Service<Started>

/** The start message for the log and for people. */
export function announce(started: Started): Announcement {
  const { url, grpc, socket, rulesets } = started
  return {
    fields: { url, grpc, socket, rulesets: rulesets.length, summary: summaryOf(started) },
    text: startText(started),
  }
}

/** Example inputs by ruleset; an example is shown if its ruleset exists. */
const EXAMPLES = {
  name: 'vip-discount',
  input: '{"customer": {"tier": "gold", "years": 6}, "order": {"total": 240, "items": []}}',
} as const

/**
 * Suggestions for the first requests, with the actual address. Ends with a line break.
 *
 * @internal
 */
export function startText(started: Started): string {
  return ['', summaryOf(started), '', 'Try next:', ...suggestions(started).map((line) => `  ${line}`), '', ''].join(
    '\n',
  )
}

function summaryOf({ version, url, grpc, socket, rulesets, rulesDirectory }: Started): string {
  const spoken = grpc === undefined ? undefined : `${grpc} (gRPC)`
  const places = [url, spoken, socket].filter((place) => place !== undefined).join(' and ')
  const kept = rulesDirectory === undefined ? 'in memory only' : `in ${rulesDirectory}`
  const count = `${rulesets.length} ${rulesets.length === 1 ? 'ruleset' : 'rulesets'}`
  return `engine-server ${version} listens on ${places}: ${count}, kept ${kept}`
}

function suggestions(started: Started): readonly string[] {
  const { url, socket, rulesets, tokens } = started
  const base = url ?? 'http://localhost'
  const curl = [
    'curl -s',
    ...(url === undefined ? [`--unix-socket ${shellWord(socket ?? '')}`] : []),
    ...(url?.startsWith('https:') === true ? ['-k'] : []),
    ...(tokens ? ['-H "authorization: Bearer $TOKEN"'] : []),
  ].join(' ')
  const json = "-H 'content-type: application/json'"
  const shown = rulesets.includes(EXAMPLES.name) ? EXAMPLES : { name: rulesets[0], input: '{}' }
  return [
    `${curl} ${base}/api/v1/rulesets`,
    ...(shown.name === undefined
      ? [`${curl} ${base}/api/v1/eval ${json} -d '{"expression": "upper(name)", "context": {"name": "ada"}}'`]
      : [`${curl} ${base}/api/v1/execute/${shown.name} ${json} -d '{"input": ${shown.input}, "trace": true}'`]),
    ...(url === undefined ? [] : [`${url}/docs in a browser`]),
  ]
}

/** A path quoted as one word of a shell. */
function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
