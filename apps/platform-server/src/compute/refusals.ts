import { stubbedHost } from '@engine/authoring'
import { isList, isObject, keysOfPointer, type Value } from '@engine/expression'
import { createProgram, decodeRuleset, type Program, type Violation } from '@engine/ruleset'
import { HOST } from './sandbox-host.ts'
import type { RefusalsTask, Results } from './tasks.ts'

/** Maximum number of inputs of one task that are described, and of violations of each. */
const [MAX_EXAMPLES, MAX_VIOLATIONS] = [3, 10] as const
/** The value of a masked field, which reveals nothing about the original input. */
export const MASKED = '***'

/**
 * The inputs that an engine would refuse by a contract in the mode `enforce`. Violations caused by masked values do not
 * count.
 */
export function refusals({ contract, inputs }: RefusalsTask): Results['refusals'] {
  const program = programOf(contract)
  const examples: Results['refusals']['examples'][number][] = []
  let refused = 0
  for (const [index, input] of inputs.entries()) {
    const violations = program.violations(input).filter(({ path }) => !isMasked(valueAt(input, path)))
    if (violations.length === 0) continue
    refused++
    if (examples.length < MAX_EXAMPLES)
      examples.push({ index, violations: violations.slice(0, MAX_VIOLATIONS).map(shown) })
  }
  return { refused, examples }
}

/** A ruleset with only the contract. */
function programOf(contract: Value): Program {
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'contract', contract },
    steps: { start: { id: 'start', type: 'terminal', result: { code: 'VALID', message: '' } } },
  })
  if (ruleset === undefined) throw new Error(`a contract that engines refuse: ${problems[0]?.message ?? ''}`)
  return createProgram(ruleset, stubbedHost({}, HOST))
}

const shown = ({ path, rule, expected }: Violation) => ({ path, code: rule, expected })

/** The value at the path of a violation, which begins with `/input`. */
function valueAt(input: Value, path: string): Value | undefined {
  const [, ...keys] = keysOfPointer(path)
  return keys.reduce<Value | undefined>((value, name) => {
    return value !== undefined && isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }, input)
}

function isMasked(value: Value | undefined): boolean {
  if (value === undefined) return false
  if (isList(value)) return value.some(isMasked)
  return isObject(value) ? Object.values(value).some(isMasked) : value === MASKED
}
