import type { ObjectValue } from '@engine/expression'

/** The type `object` admits interfaces, which have no index signature; values that are not JSON fail when they are written. */
export const jsonOf = (input: object): ObjectValue => input as ObjectValue
