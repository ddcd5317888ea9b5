import type { XmlElement } from '../xml/tree.ts'

/** The item definitions of a model. */
export interface Types {
  /** The type of FEEL that a reference comes to; undefined: none, a list, or values with members. */
  typeOf(reference: string | undefined): string | undefined
  /** The type of the items of the list that a reference comes to; undefined: it is none, or they have members. */
  itemsOf(reference: string | undefined): string | undefined
  /** Names of the members of values. */
  readonly members: ReadonlySet<string>
}

/** Types of FEEL by the names that they have in the versions of DMN. */
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

/** Definitions that refer to each other. */
const LONGEST_CHAIN = 32

/** The types that a model defines. Costs the number of its item definitions. */
export function readTypes(root: XmlElement): Types {
  const references = new Map<string, string | undefined>()
  const lists = new Map<string, string | undefined>()
  const members = new Set<string>()
  const visit = (element: XmlElement, isMember: boolean) => {
    const name = element.attributes.get('name') ?? ''
    if (isMember) members.add(name)
    else {
      const reference = element.children.find(({ local }) => local === 'typeRef')
      const kind = element.attributes.get('isCollection') === 'true' ? lists : references
      kind.set(name, reference?.text.trim())
    }
    for (const child of element.children) if (child.local === 'itemComponent') visit(child, true)
  }
  for (const element of root.children) if (element.local === 'itemDefinition') visit(element, false)
  /** The last name of a chain of references. */
  const targetOf = (reference: string | undefined) => {
    let name = reference?.trim()
    for (let hop = 0; name !== undefined && hop < LONGEST_CHAIN; hop++) {
      const known: string = references.has(name) ? name : name.replace(/^.*[:}.]/, '')
      if (!references.has(known) || references.get(known) === known) return known
      name = references.get(known)
    }
    return undefined
  }
  const typeOf = (reference: string | undefined) => {
    const target = targetOf(reference)
    return target === undefined || lists.has(target) ? undefined : BASE.get(target)
  }
  const itemsOf = (reference: string | undefined) => {
    const target = targetOf(reference)
    return target === undefined ? undefined : typeOf(lists.get(target))
  }
  return { typeOf, itemsOf, members }
}

/** The type of a column of a table for a type of FEEL; days and times are texts here. */
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
