import { defined, FUNCTIONS, typeText } from '@engine/expression'
import { DESCRIPTIONS } from '@engine/expression/descriptions'
import type { FunctionEntry } from './tasks.ts'

/** All functions, for completion and help. */
export function functionEntries(): readonly FunctionEntry[] {
  return Array.from(FUNCTIONS.values(), ({ name, parameters, returns }) => {
    const shown = parameters.map(
      (one) => `${one.name}${one.optional === true ? '?' : ''}${one.variadic === true ? '…' : ''}`,
    )
    const { summary, example } = defined(DESCRIPTIONS[name])
    return {
      name,
      signature: `${name}(${shown.join(', ')})`,
      returns: typeText(returns),
      summary,
      example: example.expression,
    }
  })
}
