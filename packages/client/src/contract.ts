/**
 * The name of a ruleset together with the types of what it asks for and answers; `engine-check typegen` makes them of a
 * contract file (specification 2.9).
 */
export interface Contract<Input, Decision> {
  readonly name: string
  /** Of the contract, not of the ruleset. */
  readonly version: string
  /** Only for the compiler: what the value stands for. */
  readonly types?: { readonly input: Input; readonly decision: Decision }
}

export function defineContract<Input, Decision>(name: string, version: string): Contract<Input, Decision> {
  return { name, version }
}
