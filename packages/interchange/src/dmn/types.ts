import { baseShape, type FeelShape, shapeAt } from '../feel/shape.ts'
import type { XmlElement } from '../xml/tree.ts'

/** The item definitions of a model. */
export interface Types {
  /**
   * The FEEL type that a reference, or a member of its values, resolves to; undefined: none, a list, or a structure.
   */
  typeOf(reference: string | undefined, members?: readonly string[]): string | undefined
  /** The item type of the list that a reference resolves to; undefined: not a list, or items with members. */
  itemsOf(reference: string | undefined): string | undefined
  /** The shape of the values of a reference, or of their members. */
  shapeOf(reference: string | undefined, members?: readonly string[]): FeelShape | undefined
  /** The tests of allowed values in a reference, its items and members, and the types that they refer to. */
  restrictionsOf(reference: string | undefined): readonly string[]
  /** Names of the members of values. */
  readonly members: ReadonlySet<string>
}

/** FEEL types by their names in the versions of DMN. */
const BASE: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['long', 'number'],
  ['double', 'number'],
  ['boolean', 'boolean'],
  ['date', 'date'],
  ['time', 'time'],
  ['dateTime', 'dateTime'],
  ['date and time', 'dateTime'],
  ['dayTimeDuration', 'dayTimeDuration'],
  ['days and time duration', 'dayTimeDuration'],
  ['yearMonthDuration', 'yearMonthDuration'],
  ['years and months duration', 'yearMonthDuration'],
])

/** The name of a type without its prefix or namespace. */
const localName = (reference: string) => reference.replace(/^.*[:}.]/, '')

/** Whether a reference is a type of FEEL in each model. */
export function isBaseType(reference: string): boolean {
  const name = localName(reference.trim())
  return name === 'Any' || BASE.has(name)
}

/** Maximum length of a chain of referring definitions. */
const MAX_CHAIN = 32

/** The shape of values defined by an item definition. */
interface Shape {
  readonly reference: string | undefined
  readonly isList: boolean
  readonly members: ReadonlyMap<string, Shape>
  /** The tests of its allowed values. */
  readonly restrictions: readonly string[]
}

function declaredShape(element: XmlElement, names: Set<string>): Shape {
  const members = new Map<string, Shape>()
  for (const child of element.children) {
    if (child.local !== 'itemComponent') continue
    const name = child.attributes.get('name') ?? ''
    names.add(name)
    members.set(name, declaredShape(child, names))
  }
  const reference = element.children.find(({ local }) => local === 'typeRef')?.text
  const restrictions = element.children
    .filter(({ local }) => local === 'allowedValues' || local === 'typeConstraint')
    .map(({ children }) => children.find(({ local }) => local === 'text')?.text.trim() ?? '')
  return { reference, isList: element.attributes.get('isCollection') === 'true', members, restrictions }
}

/** The types defined by a model. Linear in the number of its item definitions. */
export function readTypes(root: XmlElement): Types {
  const members = new Set<string>()
  const shapes = new Map<string, Shape>()
  for (const element of root.children)
    if (element.local === 'itemDefinition')
      shapes.set(element.attributes.get('name') ?? '', declaredShape(element, members))
  const definedBy = (reference = '') => {
    const name = reference.trim()
    return shapes.get(name) ?? shapes.get(localName(name))
  }
  /** A FEEL type, or a list or structure defined by the model. */
  const targetOf = (shape: Shape | undefined, hops = MAX_CHAIN): string | Shape | undefined => {
    if (shape === undefined || shape.isList || shape.members.size > 0) return shape
    return hops === 0 ? undefined : referred(shape.reference, hops - 1)
  }
  const referred = (reference: string | undefined, hops = MAX_CHAIN): string | Shape | undefined => {
    const name = reference?.trim() ?? ''
    const shape = definedBy(name)
    return shape === undefined || shape.reference === name ? BASE.get(localName(name)) : targetOf(shape, hops)
  }
  const typeOf = (reference: string | undefined, path: readonly string[] = []) => {
    let found = referred(reference)
    for (const member of path) {
      if (typeof found !== 'object' || found.isList) return undefined
      found = targetOf(found.members.get(member))
    }
    return typeof found === 'string' ? found : undefined
  }
  const itemsOf = (reference: string | undefined) => {
    const found = referred(reference)
    return typeof found === 'object' && found.isList ? typeOf(found.reference) : undefined
  }
  const feelShape = (found: string | Shape | undefined): FeelShape | undefined => {
    if (typeof found !== 'object') return found === undefined ? undefined : baseShape(found)
    if (found.isList) return { kind: 'list', items: () => feelShape(targetOf({ ...found, isList: false })) }
    return {
      kind: 'context',
      names: [...found.members.keys()],
      member: (name) => feelShape(targetOf(found.members.get(name))),
    }
  }
  const shapeOf = (reference: string | undefined, path: readonly string[] = []) =>
    shapeAt(feelShape(referred(reference)), path)
  const restrictionsOf = (reference: string | undefined) => {
    const open: (Shape | undefined)[] = [definedBy(reference)]
    const seen = new Set<Shape>()
    for (let shape = open.pop(); open.length > 0 || shape !== undefined; shape = open.pop()) {
      if (shape === undefined || seen.has(shape)) continue
      seen.add(shape)
      open.push(definedBy(shape.reference), ...shape.members.values())
    }
    return Array.from(seen, ({ restrictions }) => restrictions).flat()
  }
  return { typeOf, itemsOf, shapeOf, restrictionsOf, members }
}

/** The column type for a FEEL type; dates and times are texts here. */
const COLUMN_TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['date', 'string'],
  ['time', 'string'],
  ['dateTime', 'string'],
])

export function columnType(type: string | undefined): { readonly type?: string } {
  const found = type === undefined ? undefined : COLUMN_TYPES.get(type)
  return found === undefined ? {} : { type: found }
}
