import type { Static, TSchema } from 'typebox'

type ReadonlyDeep<Value> = Value extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> }
    : Value

/** The values of a schema as read-only types. */
export type ReadonlyStatic<Schema extends TSchema> = ReadonlyDeep<Static<Schema>>
