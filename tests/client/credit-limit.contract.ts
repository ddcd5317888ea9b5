// Made by `engine typegen` from the contract credit-limit 1.2.0. Not to be changed by hand.
import { type Contract, defineContract } from '@engine/client'

/** Input of `credit-limit`. */
export interface CreditLimitInput {
  readonly customer: {
    readonly age: number
    readonly tags?: ReadonlyArray<string> | null
  }
  readonly amount: number
  readonly shop?: { readonly [key: string]: unknown } | null
}

/** Decision of `credit-limit`, discriminated by `code`. */
export type CreditLimitDecision =
  | {
      readonly code: "APPROVED"
      readonly message: string
      readonly output: {
        readonly limit: number
      }
    }
  | {
      readonly code: "DECLINED"
      readonly message: string
      readonly output: {}
    }

/** In place of the name of the ruleset. */
export const creditLimit: Contract<CreditLimitInput, CreditLimitDecision> = defineContract("credit-limit", "1.2.0")
