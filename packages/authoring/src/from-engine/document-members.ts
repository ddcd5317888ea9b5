import { isList, type Value } from '@engine/expression'
import { type Fields, isFields, member } from '@engine/ruleset'

/** The pairs of a name and a value in a list, as documents write parameters, bindings and outputs. */
export function pairsIn(list: Value | undefined): readonly (readonly [name: string, value: Value])[] {
  return (isList(list) ? list : []).flatMap((item) => {
    const [name, value] = isList(item) ? item : []
    return typeof name === 'string' && value !== undefined ? [[name, value] as const] : []
  })
}

/** A member that is an object in a decoded document; empty when it is absent. */
export function fieldsAt(fields: Fields, key: string): Fields {
  const value = member(fields, key)
  return isFields(value) ? value : {}
}
