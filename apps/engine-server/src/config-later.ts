/** An option of specification 8 that this build does not have yet. It is known by name and refused, never ignored. */
export interface LaterOption {
  readonly flag: `--${string}`
  readonly env: `ENGINE_${string}`
  /** What the option belongs to. */
  readonly part: string
  /** The one value that says what this build does anyway, and is therefore accepted. */
  readonly holds?: string
}

const row = (flag: `--${string}`, part: string, holds?: string, env?: `ENGINE_${string}`): LaterOption => ({
  flag,
  env: env ?? `ENGINE_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`,
  part,
  ...(holds === undefined ? {} : { holds }),
})

/** Specification 8 without the rows of `OPTIONS`, and options of the design that come with later parts. */
export const LATER: readonly LaterOption[] = [
  row('--watch-rules', 'the file watcher', 'false'),
  row('--broker-url', 'rule sync'),
  row('--broker-subject-prefix', 'rule sync', 'engine.rules'),
  row('--platform-connect-token', 'the platform', undefined, 'ENGINE_CONNECT_TOKEN'),
  row('--platform-registration-secret', 'the platform'),
]

/** A flag without a value, and 1 and 0, mean what they mean for the options that are there. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['1', 'true'],
  ['0', 'false'],
])

/** Why a value of such an option is refused; undefined when it says what this build does anyway. */
export function refusal(option: LaterOption, value: string | undefined): string | undefined {
  const { holds } = option
  if (holds === undefined) return `this build does not have ${option.part} yet: leave it out`
  const given = isTruth(holds) ? truthWord(value ?? 'true') : value
  if (given === holds) return undefined
  return `this build does not have ${option.part} yet: leave it out or give \`${holds}\``
}

const isTruth = (text: string) => text === 'true' || text === 'false'
const truthWord = (text: string) => WORDS.get(text) ?? text.toLowerCase()
