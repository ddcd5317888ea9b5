import { parseArgs } from 'node:util'

/** The parsed command line. */
export interface StartArguments {
  /** Data directory of both programs. */
  readonly dataDir: string
  readonly platformPort: string
  /** Whether there is a project to look around in, with a history: recorded decisions, releases, a draft. */
  readonly hasDemo: boolean
  /** Whether decisions are requested all the time. */
  readonly hasTraffic: boolean
  /** For engine-server. */
  readonly engine: readonly string[]
}

export const HELP = `Usage: engine-start [options] [-- options of engine-server]

Starts engine-platform and engine-server together, with a project to look around in.

  --data-dir <dir>        where both keep their data (default: .data)
  --platform-port <port>  port of the platform, on this machine only (default: 3001)
  --no-demo               make no organization and no project: the engine has no rulesets and no platform
  --no-traffic            send no requests for decisions
  -h, --help              this text

Every other option goes to engine-server; the variables ENGINE_* and ENGINE_PLATFORM_* configure both as ever.
`

const OWN = {
  'data-dir': { type: 'string' },
  'platform-port': { type: 'string', default: '3001' },
  'no-demo': { type: 'boolean', default: false },
  'no-traffic': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Reads the command line; undefined: help is wanted. Unknown options are passed on to the engine. */
export function readArguments(args: readonly string[], dataDir = '.data'): StartArguments | undefined {
  const { values, tokens } = parseArgs({ args: [...args], options: OWN, strict: false, tokens: true })
  if (values.help === true) return undefined
  const own = new Set<number>()
  for (const token of tokens) {
    if (token.kind === 'option-terminator') own.add(token.index)
    if (token.kind !== 'option' || !Object.hasOwn(OWN, token.name)) continue
    own.add(token.index)
    if (token.inlineValue === false) own.add(token.index + 1)
  }
  return {
    dataDir: String(values['data-dir'] ?? dataDir),
    platformPort: String(values['platform-port']),
    hasDemo: values['no-demo'] !== true,
    hasTraffic: values['no-demo'] !== true && values['no-traffic'] !== true,
    engine: args.filter((_, index) => !own.has(index)),
  }
}
