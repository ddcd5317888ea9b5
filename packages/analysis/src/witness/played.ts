import type { Encoder } from '../formula/encoder.ts'
import type { Candidate } from './model.ts'
import { Stubs } from './stubs.ts'

/** A candidate as it is executed: the answers among the members of its input are those of its services. */
export function played({ input, now, stubs }: Candidate, calls: Encoder['calls']): Candidate {
  if (stubs !== undefined) return { input, ...(now !== undefined && { now }), stubs }
  const members = new Set(Array.from(calls.values(), ({ member }) => member))
  const sent = Object.entries(input).filter(([name]) => !members.has(name))
  const answers = new Stubs(calls.values(), input, now ?? 0)
  return { input: Object.fromEntries(sent), ...(now !== undefined && { now }), stubs: answers }
}
