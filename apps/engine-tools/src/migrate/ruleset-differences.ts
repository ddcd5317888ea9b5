import { escapedKey, isObject, type Value } from '@engine/expression'
import { longestPath, type Ruleset, stepGraph } from '@engine/ruleset'
import type { Fields, Parts } from './expressions.ts'
import type { Difference, Finding } from './finding.ts'

/** Where parts of a document other than expressions differ in meaning from the origin of the specification. */
export function* rulesetDifferences(document: Value, parts: Parts, ruleset: Ruleset | undefined): Generator<Finding> {
  const config = isObject(document) ? document['config'] : undefined
  if (config !== undefined && isObject(config)) yield* ofConfig(config, ruleset)
  for (const { path, action } of parts.actions) {
    const difference = callWithoutVariable(action)
    if (difference !== undefined) yield { path, ...difference }
  }
  for (const { path, result } of parts.terminals)
    for (const [key, value] of Object.entries(result)) {
      const difference = ofResult(key, value)
      if (difference !== undefined) yield { path: `${path}/${escapedKey(key)}`, ...difference }
    }
}

function* ofConfig(config: Fields, ruleset: Ruleset | undefined): Generator<Finding> {
  for (const name of ['inputSchema', 'input_schema'])
    if (config[name] !== undefined)
      yield {
        path: `/config/${name}`,
        code: 'input-schema',
        effect: 'silent',
        there: 'an input that breaks it is refused, and its defaults are applied',
        here: 'it is unknown: every input is decided',
        write: 'a contract in `config.contract` with `"mode": "enforce"`',
      }
  if (config['field_missing'] === 'default')
    yield {
      path: '/config/field_missing',
      code: 'default-mode',
      effect: 'silent',
      there: 'as `strict`: a condition over a missing field is an execution error',
      here: 'a missing field has its value in `config.defaults`, else null',
      write: '`"field_missing": "strict"`',
    }
  if (ruleset !== undefined && config['max_depth'] === undefined && longestPath(stepGraph(ruleset)) > THEIR_DEPTH)
    yield {
      path: '/config',
      code: 'max-depth',
      effect: 'silent',
      there: `an execution fails at step ${THEIR_DEPTH + 1}`,
      here: `an execution fails at step ${ruleset.config.maxDepth + 1}`,
      write: `\`"max_depth": ${THEIR_DEPTH}\``,
    }
}

/** Default limit on entered steps in the original service. */
const THEIR_DEPTH = 100

function callWithoutVariable(action: Fields): Difference | undefined {
  const { result_variable: variable } = action
  if (action['action'] !== 'external_call' || (variable !== undefined && variable !== null)) return undefined
  return {
    code: 'call-without-variable',
    effect: 'silent',
    there: 'the rules wait for the call, and the execution fails when it fails',
    here: 'the rules continue, and a failure is logged and counted',
    write: 'a `result_variable`',
  }
}

/** Members of a terminal's result. */
function ofResult(key: string, value: Value): Difference | undefined {
  if (key === 'code' || key === 'message' || key === 'output') return undefined
  const here = 'it goes to the output under its name'
  if (key === 'data' && isObject(value))
    return {
      code: 'result-data',
      effect: 'silent',
      there: 'its members go to the output, and win over `output`',
      here,
      write: 'its members in `output`, as pairs of a name and `{"Literal": …}`',
    }
  return {
    code: 'result-field',
    effect: 'silent',
    there: key === 'data' ? 'it is left out' : 'a field that is not known is left out',
    here,
    write: 'nothing, or leave the field out',
  }
}
