import { readDecisionRecord, RecordedAnswers } from '@engine/analysis'
import { isObject, type Value } from '@engine/expression'
import { ANY_OPERATION, type Host } from '@engine/ruleset'

/** A host that answers recorded calls and fails others; undefined if no calls were recorded. */
export function answering(input: Value, calls: Value): Host['capabilities'] | undefined {
  const record = readDecisionRecord({ input, calls })
  if (typeof record === 'string' || record.calls === undefined) return undefined
  const answers = new RecordedAnswers(record.calls)
  return {
    get: (name) => ({
      name,
      operations: [ANY_OPERATION],
      async call({ operation, payload: parameters }) {
        const answer = answers.take(name, operation, parameters)?.answer
        if (answer === undefined) throw new Error('the call failed, or was not recorded')
        const { payload = null, metadata = null } = answer
        return { payload, metadata: isObject(metadata) ? metadata : {} }
      },
    }),
  }
}
