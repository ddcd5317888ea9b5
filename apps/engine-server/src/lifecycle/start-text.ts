/** The data of the start text. */
export interface Started {
  readonly version: string
  /** Of TCP; undefined when there is only a socket. */
  readonly url: string | undefined
  /** Address of gRPC over TCP; undefined when there is none. */
  readonly grpc: string | undefined
  readonly socket: string | undefined
  /** Names of the stored rulesets. */
  readonly rulesets: readonly string[]
  /** Undefined: memory only. */
  readonly rulesDirectory: string | undefined
  readonly tokens: boolean
}

/** An input that fits a ruleset of the examples, which is shown when it is there. */
const SHOWN = {
  name: 'vip-discount',
  input: '{"customer": {"tier": "gold", "years": 6}, "order": {"total": 240, "items": []}}',
} as const

/** Suggestions for the first requests, with the actual address. Ends with a line break. */
export function startText(started: Started): string {
  const { version, url, grpc, socket, rulesets, rulesDirectory } = started
  const spoken = grpc === undefined ? undefined : `${grpc} (gRPC)`
  const places = [url, spoken, socket].filter((place) => place !== undefined).join(' and ')
  const kept = rulesDirectory === undefined ? 'in memory only' : `in ${rulesDirectory}`
  const count = `${rulesets.length} ${rulesets.length === 1 ? 'ruleset' : 'rulesets'}`
  return [
    '',
    `engine-server ${version} listens on ${places}: ${count}, kept ${kept}`,
    '',
    'Try next:',
    ...suggestions(started).map((line) => `  ${line}`),
    '',
    '',
  ].join('\n')
}

/** A URL under which this machine reaches the address: one that means every interface becomes loopback. */
export function httpUrl(scheme: 'http' | 'https', host: string | undefined, port: number): string {
  return `${scheme}://${hostAndPort(host, port)}`
}

/** The same without a scheme. */
export function hostAndPort(host: string | undefined, port: number): string {
  const name = host === undefined || host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
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
  const shown = rulesets.includes(SHOWN.name) ? SHOWN : { name: rulesets[0], input: '{}' }
  return [
    `${curl} ${base}/api/v1/rulesets`,
    ...(shown.name === undefined
      ? [`${curl} ${base}/api/v1/eval ${json} -d '{"expression": "upper(name)", "context": {"name": "ada"}}'`]
      : [`${curl} ${base}/api/v1/execute/${shown.name} ${json} -d '{"input": ${shown.input}, "trace": true}'`]),
    ...(url === undefined ? [] : [`${url}/docs in a browser`]),
  ]
}

/** A path as one word of a shell. */
function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
