import type { FlagErrorCode } from '@engine/api'
import {
  isList,
  isNumber,
  isObject,
  type Numbers,
  type ObjectValue,
  quote,
  stringifyJson,
  type Value,
} from '@engine/expression'
import { type Awaitable, createPauses, jsonText, whenThere } from '@engine/process'
import type { Decision, Program } from '@engine/ruleset'
import { UnsignableRuleset } from '@engine/signing'
import { createHash, type Hash } from 'node:crypto'
import { describe, EngineError, failures } from '../errors.ts'
import { type Flag, type Flags, type FlagType, type FlagValue, MAX_FLAGS } from '../standards/flags.ts'
import { VERSION } from '../version.ts'
import type { SentBody } from './authorization.ts'
import { type BatchItem, type InputRunner, runBatch } from './batch.ts'
import type { AnswerForm, ExecutionService, RunOptions } from './execution.ts'
import type { RulesetService } from './rulesets.ts'
import { canonicalText } from '../signatures/canonical-text.ts'
import { reachedFrom, traitsOf } from './ruleset-traits.ts'

/** The flags, and the services that evaluate them. */
export interface FlagParts {
  readonly flags: Flags
  readonly execution: ExecutionService
  readonly rulesets: Pick<RulesetService, 'list'>
  /** The OFREP code of an error. */
  readonly codeOf: (error: EngineError) => FlagErrorCode
}

/** Evaluates one flag; returns its JSON text. Throws or rejects with an `EngineError`. */
export async function evaluateFlag(
  parts: FlagParts,
  key: string,
  sent: SentBody,
  options: RunOptions,
): Promise<string> {
  const { flag, program } = flagOf(parts, key)
  const context = contextOf(sent.value)
  const { numbers } = program.ruleset.config
  const exact = numbers === 'double' ? context : contextOf(await sent.read(numbers))
  const form = formOf(flag, program, await parts.execution.digestOf(program))
  let place: string | undefined
  const logged = (logs: string) => {
    place = logs
    options.logged?.(logs)
  }
  const input = inputOf(flag, exact)
  const text = await executed(() => parts.execution.execute(flag.ruleset, input, form, { ...options, logged }))
  return place === undefined ? text : withReceipt(text, place)
}

/** An answer with the place of its receipt in the metadata, which is its last member. */
const withReceipt = (text: string, place: string) => `${text.slice(0, -2)},"receipt":${JSON.stringify(place)}}}`

/** The flag with a key, and the program of its ruleset. Throws `EngineError`. */
function flagOf({ flags, execution }: FlagParts, key: string): { readonly flag: Flag; readonly program: Program } {
  const noFlag = () => new EngineError('not-found', `there is no flag ${quote(key)}`)
  const listed = flags.listed.get(key)
  if (listed === undefined && flags.mode === 'list') throw noFlag()
  const flag = listed ?? { key, ruleset: key, ...flags.initial }
  const program = execution.find(flag.ruleset)
  if (program !== undefined) return { flag, program }
  if (listed === undefined) throw noFlag()
  throw new EngineError(
    'not-found',
    `the flag ${quote(key)} has the ruleset ${quote(flag.ruleset)}, which is not stored`,
  )
}

function contextOf(body: Value): ObjectValue {
  if (!isObject(body)) throw failures.invalidPart('', `must be an object, found ${describe(body)}`)
  const { context = {} } = body
  if (isObject(context)) return context
  throw invalidContext('/context', `must be an object, found ${describe(context)}`)
}

function invalidContext(path: string, message: string): EngineError {
  return new EngineError('invalid-input', `${quote(path)} ${message}`, { details: [{ path, message }] })
}

/** The input of the ruleset: the context, with the targeting key also at its configured place. */
function inputOf({ key, targeting }: Flag, context: ObjectValue): ObjectValue {
  const { targetingKey } = context
  if (targetingKey !== undefined && typeof targetingKey !== 'string')
    throw invalidContext('/context/targetingKey', `must be a string, found ${describe(targetingKey)}`)
  if (targeting === undefined) return context
  if (targetingKey === undefined)
    throw new EngineError(
      'no-targeting-key',
      `the flag ${quote(key)} needs a targeting key: \`context.targetingKey\` is missing`,
    )
  return placed(context, targeting, targetingKey)
}

/** A copy of an object with a value at a path. Values on the path that are not objects are replaced. */
function placed(object: ObjectValue, [name = '', ...rest]: readonly string[], value: Value): ObjectValue {
  const member = Object.hasOwn(object, name) ? object[name] : undefined
  const inner = rest.length === 0 ? value : placed(isObject(member) ? member : {}, rest, value)
  return { ...object, ...Object.fromEntries([[name, inner]]) }
}

/** Runs rules; a missing field in a strict ruleset is an error in the context. */
async function executed(run: () => Awaitable<string | EngineError>): Promise<string> {
  try {
    const answer = await run()
    if (answer instanceof EngineError) throw answer
    return answer
  } catch (error) {
    throw isMissingField(error) ? new EngineError('invalid-input', error.message, { cause: error }) : error
  }
}

function isMissingField(error: unknown): error is EngineError {
  return error instanceof EngineError && error.code === 'execution-failed' && error.details?.[0]?.code === MISSING_FIELD
}

const MISSING_FIELD = 'missing-field'

/**
 * An execution succeeds even if its value has the wrong type: that error is returned, and thrown after the execution is
 * counted.
 */
function formOf(flag: Flag, program: Program, digest: string): AnswerForm<string | EngineError, never> {
  const { name, version } = program.ruleset.config
  const reason = traitsOf(program.ruleset).isStatic ? 'STATIC' : 'TARGETING_MATCH'
  const metadata = stringifyJson({ ruleset: name, version, digest })
  const head = `{"key":${JSON.stringify(flag.key)},"value":`
  return {
    decided(decided) {
      const tail = `,"reason":"${reason}","variant":${JSON.stringify(decided.code)},"metadata":${metadata}}`
      return whenThere(valueText(flag, decided), (value) =>
        value instanceof EngineError ? value : `${head}${value}${tail}`,
      )
    },
    failed(error) {
      throw error
    },
  }
}

/** The value of a flag as JSON text; an error if its type differs from that of the flag. */
function valueText({ key, value, type }: Flag, decided: Decision): Awaitable<string | EngineError> {
  const found = valueOf(value, decided)
  if (found === undefined || found === null || (type !== undefined && !TYPE_TESTS[type](found)))
    return new EngineError(
      'execution-failed',
      `the flag ${quote(key)} has no value${type === undefined ? '' : ` of type \`${type}\``}: ${placeOf(value)} is ${describe(found)}`,
    )
  if (type !== 'float') return jsonText(found)
  const text = stringifyJson(found)
  // Some clients parse a number without a decimal point as an integer.
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}

function valueOf(value: FlagValue, { code, message, output }: Decision): Value | undefined {
  switch (value.kind) {
    case 'auto':
      if (Object.hasOwn(output, 'value')) return output['value']
      return Object.keys(output).length > 0 ? output : code
    case 'code':
      return code
    case 'message':
      return message
    case 'output':
      return memberAt(output, value.path)
    case 'on':
      return value.codes.has(code)
  }
}

function memberAt(output: ObjectValue, path: readonly string[]): Value | undefined {
  let found: Value | undefined = output
  for (const name of path) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  return found
}

function placeOf(value: FlagValue): string {
  if (value.kind === 'auto') return 'the result'
  return value.kind === 'output' ? quote(['output', ...value.path].join('.')) : `the ${value.kind}`
}

const TYPE_TESTS: Readonly<Record<FlagType, (value: Value) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  integer: (value) => isNumber(value) && /^-?\d+$/.test(stringifyJson(value)),
  float: isNumber,
  object: (value) => isObject(value) || isList(value),
}

/** The answer to a bulk evaluation. */
export type AllFlags =
  | { readonly kind: 'unchanged'; readonly tag: string }
  | { readonly kind: 'evaluated'; readonly tag: string; readonly text: string }

/**
 * Evaluates all flags; returns the JSON text `{"flags", "metadata"}` with its entity tag. If the client already has the
 * answer, no rules are executed, unless a ruleset depends on more than its content and the context. Rejects with an
 * `EngineError`.
 *
 * @param isCurrent checks if the client has the answer with an entity tag
 */
export async function evaluateFlags(
  parts: FlagParts,
  sent: SentBody,
  options: RunOptions,
  isCurrent: (tag: string) => boolean,
): Promise<AllFlags> {
  const context = contextOf(sent.value)
  const keys = keysOf(parts)
  const tag = await tagOf(parts, keys, context)
  if (tag !== undefined && isCurrent(tag)) return { kind: 'unchanged', tag }
  const runner = new FlagRunner(parts, sent, context, options)
  const { items } = await runBatch(runner, keys, {
    stopOnError: false,
    parallel: true,
    isAbandoned: () => options.signal?.aborted === true,
  })
  const flags = items.map(({ text }) => text).join(',')
  const text = `{"flags":[${flags}],"metadata":{"version":${JSON.stringify(VERSION)}}}`
  const answered = tag ?? tagText(createHash('sha256').update(text))
  if (tag === undefined && isCurrent(answered)) return { kind: 'unchanged', tag: answered }
  return { kind: 'evaluated', tag: answered, text }
}

/** The keys of all flags, sorted by UTF-16 code units. Throws `EngineError` if there are too many. */
function keysOf({ flags, rulesets }: FlagParts): readonly string[] {
  const keys = new Set(flags.listed.keys())
  if (flags.mode === 'all') for (const { name } of rulesets.list()) keys.add(name)
  if (keys.size > MAX_FLAGS)
    throw new EngineError(
      'invalid-request',
      `there are ${keys.size} flags, at most ${MAX_FLAGS} are answered together: list those of clients (--ofrep list)`,
    )
  return [...keys].sort()
}

/** The entity tag of an answer, computed from everything that determines it; undefined if other factors matter too. */
async function tagOf(
  { flags, execution }: FlagParts,
  keys: readonly string[],
  context: ObjectValue,
): Promise<string | undefined> {
  const hash = createHash('sha256').update(VERSION).update('\n').update(flags.identity)
  const pause = createPauses()
  for (const key of keys) {
    hash.update(`\n${key}`)
    for (const [name, program] of reachedFrom(execution, flags.listed.get(key)?.ruleset ?? key)) {
      if (program !== undefined && traitsOf(program.ruleset).isVolatile) return undefined
      hash.update(` ${name} ${program === undefined ? '' : await execution.digestOf(program)}`)
    }
    const turn = pause()
    if (turn !== undefined) await turn
  }
  const text = await contextText(context)
  return text === undefined ? undefined : tagText(hash.update('\n').update(text))
}

const tagText = (hash: Hash) => `"${hash.digest('base64url')}"`

/** Canonical JSON of a context; undefined if it has no canonical form. */
async function contextText(context: ObjectValue): Promise<string | undefined> {
  try {
    return await canonicalText({ context })
  } catch (error) {
    if (error instanceof UnsignableRuleset) return undefined
    throw error
  }
}

/** One flag of a bulk evaluation. */
interface FlagItem extends BatchItem {
  readonly text: string
}

/** Evaluates all flags of one request by key. */
class FlagRunner implements InputRunner<string, FlagItem> {
  readonly #parts: FlagParts
  readonly #sent: SentBody
  readonly #contexts: Map<Numbers, Awaitable<ObjectValue>>
  readonly #options: RunOptions
  readonly pause = createPauses()

  constructor(parts: FlagParts, sent: SentBody, context: ObjectValue, options: RunOptions) {
    this.#parts = parts
    this.#sent = sent
    this.#contexts = new Map([['double', context]])
    this.#options = options
  }

  async run(key: string): Promise<FlagItem> {
    try {
      const { flag, program } = flagOf(this.#parts, key)
      const { execution } = this.#parts
      const { numbers } = program.ruleset.config
      const context = await this.#contexts.getOrInsertComputed(numbers, () =>
        whenThere(this.#sent.read(numbers), contextOf),
      )
      const options = { ...this.#options, hops: this.#options.hops.ofInput() }
      const form = formOf(flag, program, await execution.digestOf(program))
      const text = await executed(() => execution.execute(flag.ruleset, inputOf(flag, context), form, options))
      return { text, failed: false, microseconds: 0, size: text.length }
    } catch (error) {
      if (!(error instanceof EngineError) || error.code === 'defect') throw error
      return this.#failed(key, error)
    }
  }

  refused(): FlagItem {
    return this.#failed('', new EngineError('execution-failed', 'the values of all flags together are too large'))
  }

  #failed(key: string, error: EngineError): FlagItem {
    const text = stringifyJson({ key, errorCode: this.#parts.codeOf(error), errorDetails: error.message })
    return { text, failed: true, microseconds: 0, size: text.length }
  }
}
