import { parseJson, type Value } from '@engine/expression'
import { createCapabilities } from '@engine/ruleset'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import { Hops } from '../capabilities/hops.ts'
import { sampleCatalog } from '../catalog/catalog.testing.ts'
import type { RulesetCatalog } from '../catalog/catalog.ts'
import { EngineError } from '../errors.ts'
import type { SentBody } from './authorization.ts'
import type { Events } from './events.ts'
import { createExecutionService, type ExecutionService, type RunOptions } from './execution.ts'
import { createHost } from './host.ts'
import { createPrograms, type Programs, type ProgramsOptions } from './programs.ts'

/** The options of a request from outside. */
export const OUTSIDE: RunOptions = { hops: new Hops(0) }

/** A ruleset in short form: a condition with two ends. */
export interface ShortRuleset {
  readonly name: string
  readonly condition: string
  readonly config?: { readonly [key: string]: Value }
  readonly actions?: readonly { readonly [key: string]: Value }[]
  /** Expressions of the output where the condition holds. */
  readonly output?: { readonly [name: string]: string }
}

/** A document whose condition leads to `PERMIT`, otherwise to `DENY`. */
export function documentOf({ name, condition, config = {}, actions = [], output = {} }: ShortRuleset): {
  readonly [key: string]: Value
} {
  const terminal = (id: string, code: string, more: object) => ({
    id,
    type: 'terminal',
    result: { code, message: `is ${code}`, ...more },
  })
  const branch = { condition, next_step: 'yes', ...(actions.length === 0 ? {} : { actions: [...actions] }) }
  const first = { id: 'first', type: 'decision', branches: [branch], default_next: 'no' }
  const yes = terminal('yes', 'PERMIT', Object.keys(output).length === 0 ? {} : { output: Object.entries(output) })
  return {
    config: { name, version: '1.0.0', entry_step: 'first', ...config },
    steps: { first, yes, no: terminal('no', 'DENY', {}) },
  }
}

/** Stores documents without a request. */
export async function stored(catalog: RulesetCatalog, ...documents: readonly Value[]): Promise<void> {
  for (const document of documents) {
    const { ruleset } = await catalog.admit(document, 'api')
    await catalog.put(ruleset, { origin: 'api' })
  }
}

/** Stored rulesets with their programs, the service that executes them, and the reported events. */
interface Executions {
  readonly catalog: RulesetCatalog
  readonly programs: Programs
  readonly execution: ExecutionService
  readonly executed: Parameters<Events['executed']>[0][]
  /** The rulesets whose contracts only warned. */
  readonly broken: string[]
}

export async function executionOf(
  rulesets: readonly ShortRuleset[],
  options: Partial<Omit<ProgramsOptions, 'host'>> = {},
): Promise<Executions> {
  const catalog = sampleCatalog()
  await stored(catalog, ...rulesets.map(documentOf))
  const metrics = { reported: () => {}, callFailed: () => {} }
  const programs = createPrograms(catalog, {
    longestMs: () => undefined,
    contracts: 'ruleset',
    ...options,
    host: (resolver) =>
      createHost({
        rulesets: resolver,
        capabilities: createCapabilities(),
        log: memoryLog().log,
        metrics,
        requestMs: 30_000,
      }),
  })
  const executed: Executions['executed'] = []
  const broken: string[] = []
  const execution = createExecutionService(programs, {
    executed: (entry) => void executed.push(entry),
    contractBroken: (name) => void broken.push(name),
  })
  return { catalog, programs, execution, executed, broken }
}

/** The body of a request, read with the numbers that its rulesets need. */
export function sentOf(text: string): SentBody {
  const read = (numbers: 'double' | 'decimal'): Value => {
    const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers })
    if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
    return parsed.value
  }
  return { value: read('double'), read }
}

/** The value of a call, or the code and message of the `EngineError` that it fails with. */
export async function outcomeOf(run: () => unknown): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof EngineError) return `${error.code}: ${error.message}`
    throw error
  }
}
