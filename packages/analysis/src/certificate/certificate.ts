import type { Claim } from './claim.ts'

/**
 * A cover of all inputs. 0: the checker sees that the claim holds for this part. Otherwise the part is split: by the value of a
 * field, whose classes are numbered (`classesOf`), or by whether an expression (`?` and its text) is true (0), false (1) or fails
 * (2). The numbers of a part are ranges: first, last, first, last …
 */
export type Cover =
  | 0
  | readonly [split: string, ...parts: readonly (readonly [ranges: readonly number[], cover: Cover])[]]

export interface Proof {
  readonly claim: Claim
  readonly cover: Cover
}

/** Proofs that are checked without a search. JSON. */
export interface Certificate {
  readonly format: typeof CERTIFICATE_FORMAT
  /** The ruleset, or the old one and the new one. The digest is that of the engine: of the canonical JSON without `_signature`. */
  readonly rulesets: readonly { readonly name: string; readonly digest: string }[]
  readonly proofs: readonly Proof[]
}

export const CERTIFICATE_FORMAT = 'engine-certificate/1'
