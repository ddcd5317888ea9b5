import type { Witness } from './verdict.ts'
import type { Candidate } from './witness/model.ts'

/** A candidate that was executed, as it is shown. */
export function witnessOf({ input, now, stubs }: Candidate): Witness {
  const calls = stubs?.calls ?? []
  return { input, ...(now !== undefined && { now }), ...(calls.length > 0 && { stubs: [...calls] }) }
}
