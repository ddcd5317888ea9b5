import { isObject, makeFunction, parseJson, type Value } from '@engine/expression'
import {
  ANY_OPERATION,
  type Capabilities,
  createProgram,
  decodeRuleset,
  ExecutionError,
  type Host,
  type Program,
  type Ruleset,
} from '@engine/ruleset'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { ClientError } from './errors.ts'
import type { Decided, Tracing } from './transport.ts'

/** Decides locally with cached rulesets while the engine is unavailable. */
export interface FallbackOptions {
  /** Rulesets to load immediately; others are loaded on first use. Rulesets that they call are loaded too. */
  readonly rulesets?: readonly string[]
  /** Milliseconds after which a cached ruleset is refreshed. Default 30,000. */
  readonly refreshMs?: number
  /** Caches rulesets on disk, for programs that start while the engine is unavailable. Undefined: in memory only. */
  readonly directory?: string
  /**
   * Capabilities for rules that the client executes. Default: none, so a rule that waits for an external call fails.
   */
  readonly capabilities?: Pick<Capabilities, 'get'>
}

/** The cached rulesets of a client. */
export interface Fallback {
  /** Undefined if the ruleset is not cached. Throws or rejects with a `ClientError` if the rules fail. */
  decide(name: string, input: Value, tracing: Tracing): Promise<Decided> | undefined
  /** Called when a ruleset is used: loads it, or refreshes it if it is stale. Does not wait. */
  noticed(name: string): void
  /** Resolves when the named rulesets are loaded, or failed to load. */
  readonly ready: Promise<void>
  close(): void
}

const DEFAULT_REFRESH_MS = 30_000

/** Rules that wait for an answer fail; fire-and-forget calls are ignored. */
const NO_CAPABILITIES: Pick<Capabilities, 'get'> = {
  get: (name) => ({
    name,
    operations: [ANY_OPERATION],
    call: () => Promise.reject(new Error('no external calls while the client decides locally (fallback.capabilities)')),
  }),
}

/** @param load loads the JSON text of a ruleset from the engine */
export function createFallback(options: FallbackOptions, load: (name: string) => Promise<string>): Fallback {
  const { rulesets = [], refreshMs = DEFAULT_REFRESH_MS, directory, capabilities = NO_CAPABILITIES } = options
  const programs = new Map<string, Program>()
  /** Time of the last refresh, including failed ones, in monotonic milliseconds. */
  const looked = new Map<string, number>()
  let generation = 0
  let isClosed = false
  const host = hostOf(capabilities, {
    resolve: (name) => programs.get(name),
    get generation() {
      return generation
    },
  })

  function learn(name: string, text: string): void {
    const ruleset = rulesetOf(text)
    if (ruleset === undefined) return
    programs.set(name, createProgram(ruleset, host))
    generation++
    for (const called of calledBy(ruleset)) noticed(called)
  }

  async function refresh(name: string): Promise<void> {
    try {
      const text = await load(name)
      if (isClosed) return
      learn(name, text)
      if (directory !== undefined) await keep(directory, name, text)
    } catch (error) {
      // A ruleset deleted from the engine is removed; other errors keep the cached version.
      if (error instanceof ClientError && error.kind === 'not-found') await forget(name)
    }
  }

  async function forget(name: string): Promise<void> {
    if (programs.delete(name)) generation++
    if (directory !== undefined) await rm(fileOf(directory, name), { force: true }).catch(() => undefined)
  }

  async function begin(name: string): Promise<void> {
    if (directory !== undefined) {
      const text = await readFile(fileOf(directory, name), 'utf8').catch(() => undefined)
      if (text !== undefined && !programs.has(name)) learn(name, text)
    }
    await refresh(name)
  }

  async function look(name: string): Promise<void> {
    const at = looked.get(name)
    const now = performance.now()
    if (at !== undefined && now - at < refreshMs) return
    looked.set(name, now)
    await (at === undefined ? begin(name) : refresh(name))
  }

  function noticed(name: string): void {
    void look(name)
  }

  return {
    decide(name, input, tracing) {
      const program = programs.get(name)
      return program === undefined ? undefined : decided(program, input, tracing)
    },
    noticed,
    ready: Promise.all(rulesets.map(look)).then(() => undefined),
    close: () => {
      isClosed = true
    },
  }
}

async function decided(program: Program, input: Value, tracing: Tracing): Promise<Decided> {
  if (!isObject(input)) throw new ClientError('invalid', '`input` must be an object')
  try {
    return await program.execute(input, { trace: tracing !== false, traceValues: tracing === 'values' })
  } catch (error) {
    if (error instanceof ExecutionError) throw new ClientError('execution', error.message, { cause: error })
    throw error
  }
}

/** The engine serves the ruleset, so it was accepted. */
const STORED = { isStored: true } as const

function rulesetOf(text: string): Ruleset | undefined {
  const parsed = parseJson(text, { duplicateKeys: 'last', numbers: 'document' })
  return parsed.kind === 'parsed' ? decodeRuleset(parsed.value, STORED).ruleset : undefined
}

function calledBy({ steps }: Ruleset): ReadonlySet<string> {
  const names = new Set<string>()
  for (const step of steps.values()) {
    const actions =
      step.type === 'action'
        ? step.actions
        : step.type === 'decision'
          ? step.branches.flatMap((one) => one.actions)
          : []
    for (const action of actions) if (action.action === 'call_ruleset') names.add(action.rulesetName)
  }
  return names
}

/** Ruleset names are valid file names, which the engine relies on as well. */
const fileOf = (directory: string, name: string) => join(directory, `${encodeURIComponent(name)}.json`)

/** Written atomically. A failed write is ignored: the decision has priority. */
async function keep(directory: string, name: string, text: string): Promise<void> {
  const temporary = join(directory, `.tmp-${randomBytes(6).toString('hex')}`)
  try {
    await makeDirectory(directory)
    await writeFile(temporary, text, { mode: 0o640 })
    await rename(temporary, fileOf(directory, name))
  } catch {
    // Not reported: `source` shows where decisions come from.
  }
}

/** Creates missing parents one by one: Node's recursive `mkdir` never returns for a path such as `/proc/x`. */
async function makeDirectory(path: string): Promise<void> {
  const isThere = () =>
    stat(path).then(
      (status) => status.isDirectory(),
      () => false,
    )
  if (await isThere()) return
  if (dirname(path) !== path) await makeDirectory(dirname(path))
  await mkdir(path, { mode: 0o750 }).catch(async (cause: unknown) => {
    if (!(await isThere())) throw cause
  })
}

function hostOf(capabilities: Pick<Capabilities, 'get'>, rulesets: Host['rulesets']): Host {
  return {
    rulesets,
    capabilities,
    log: () => undefined,
    metric: () => undefined,
    callFailed: () => undefined,
    monotonic: () => performance.now(),
    now: () => Date.now(),
    makeFunction,
    limit(milliseconds) {
      const controller = new AbortController()
      const timer = milliseconds === undefined ? undefined : setTimeout(() => controller.abort(), milliseconds)
      return { signal: controller.signal, dispose: () => clearTimeout(timer) }
    },
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  }
}
