import { locator } from '@engine/expression'
import { TooLarge } from '../size-error.ts'
import { variableName } from '../names.ts'
import type { XmlElement } from '../xml/tree.ts'
import { childrenOf, DmnReport, REFERENCES } from './definitions.ts'
import { foreignLanguageOf } from './language.ts'
import { dmnLosses } from './losses.ts'
import { type LibraryModel, modelImports, type ModelLibrary, namespaceOf } from './model-library.ts'
import { isBaseType } from './types.ts'

/** Maximum number of models that one model uses, including itself. */
const MAX_MODELS = 100

/** A model with the parts of other models that it requires, as one model. */
export interface MergedModel {
  readonly root: XmlElement
  /** The prefix of the name of a part in references, such as `risk.`; only for parts of imported models. */
  readonly prefixes: ReadonlyMap<XmlElement, string>
  /** Ids of the parts of other models. */
  readonly imported: ReadonlySet<string>
}

/** Positions in the concatenation of a document and the documents of the imported models. */
export class DocumentPositions {
  readonly #documents: { readonly start: number; readonly locate: ReturnType<typeof locator> }[] = []
  #length = 0

  /** The offset of the document's first character. */
  add(text: string): number {
    const start = this.#length
    this.#documents.push({ start, locate: locator(text) })
    this.#length += text.length + 1
    return start
  }

  /** The position in the original document. */
  readonly locate = (offset: number): ReturnType<ReturnType<typeof locator>> => {
    const found = this.#documents.findLast(({ start }) => start <= offset)
    if (found === undefined) throw new Error('a position was located before a document was added')
    return found.locate(offset - found.start)
  }
}

/** One of the merged models. */
interface Part {
  /** Distinguishes its ids and types from those of other models; empty for the importing model. */
  readonly key: string
  readonly root: XmlElement
  readonly namespace: string
  /** The offset of its document in the concatenation. */
  readonly start: number
  /** The imported models by their local names. */
  readonly imports: Map<string, Part>
  /** Names of its item definitions. */
  readonly types: ReadonlySet<string>
}

/**
 * Adds the required parts of imported models, including transitive imports, to a model: their ids and types get unique
 * names, and their parts are named as in the referring model. Cyclic imports, and imports with no or several matching
 * documents, are reported. Linear in the size of the models. Throws `TooLarge`.
 *
 * @param report its positions are those of `positions`
 */
export function mergeModels(
  root: XmlElement,
  library: ModelLibrary,
  positions: DocumentPositions,
  report: DmnReport,
): MergedModel {
  reportLanguage(root, report)
  if (modelImports(root).length === 0) return { root, prefixes: new Map(), imported: new Set() }
  return new Merging(library, positions, report).merged(root)
}

/** The language of a model applies to each expression that does not name its own. */
function reportLanguage(root: XmlElement, report: DmnReport): void {
  const language = foreignLanguageOf(root)
  if (language !== undefined) report.error(root, [], dmnLosses.language(language))
}

const idOf = ({ attributes }: XmlElement) => attributes.get('id') ?? attributes.get('name') ?? ''
const nameOf = (element: XmlElement) =>
  (childrenOf(element, 'variable')[0]?.attributes.get('name') ?? element.attributes.get('name') ?? '').trim()

class Merging {
  readonly #library: ModelLibrary
  readonly #positions: DocumentPositions
  readonly #report: DmnReport
  /** By namespace. */
  readonly #parts = new Map<string, Part>()
  readonly #keys = new Set<string>()
  /** The namespaces of the models whose imports are being read. */
  readonly #open: string[] = []
  readonly #prefixes = new Map<XmlElement, string>()
  /** The namespace URI of the importing model's elements, which depends on the version of DMN. */
  #uri = ''

  constructor(library: ModelLibrary, positions: DocumentPositions, report: DmnReport) {
    this.#library = library
    this.#positions = positions
    this.#report = report
  }

  merged(root: XmlElement): MergedModel {
    this.#uri = root.uri
    const own = this.#part(root, '', 0)
    const required = this.#requiredOf(own)
    this.#reportInputs(own, required)
    const parts = [...this.#parts.values()].filter((part) => part !== own)
    const imports = new Set(modelImports(root))
    const children = [
      ...root.children.filter((child) => !imports.has(child)),
      ...parts.flatMap((part) => childrenOf(part.root, 'itemDefinition')),
      ...required.keys(),
    ]
    const partOf = new Map(parts.flatMap((part) => part.root.children.map((child) => [child, part] as const)))
    return {
      root: {
        ...root,
        children: children.map((child) => this.#rewritten(child, partOf.get(child) ?? own, true)),
      },
      prefixes: this.#prefixes,
      imported: new Set(Array.from(required, ([element, part]) => `${part.key}.${idOf(element)}`)),
    }
  }

  /** A model with its imports. */
  #part(root: XmlElement, key: string, start: number): Part {
    const namespace = namespaceOf(root)
    const types = new Set(childrenOf(root, 'itemDefinition').map(({ attributes }) => attributes.get('name') ?? ''))
    const part: Part = { key, root, namespace, start, imports: new Map(), types }
    this.#parts.set(namespace, part)
    if (this.#parts.size > MAX_MODELS) throw new TooLarge(`a model imports at most ${MAX_MODELS - 1} others`)
    this.#open.push(namespace)
    for (const element of modelImports(root)) {
      const found = this.#imported(element, start)
      if (found !== undefined) part.imports.set((element.attributes.get('name') ?? '').trim(), found)
    }
    this.#open.pop()
    return part
  }

  #imported(element: XmlElement, start: number): Part | undefined {
    const namespace = namespaceOf(element)
    const lose = (loss: Parameters<DmnReport['error']>[2]) =>
      this.#report.error({ ...element, offset: element.offset + start }, ['import', namespace], loss)
    if (this.#open.includes(namespace)) return lose(dmnLosses.importCycle(namespace))
    const known = this.#parts.get(namespace)
    if (known !== undefined) return known
    const [found, other] = this.#library.modelsOf(namespace)
    if (found === undefined) return lose(dmnLosses.missingModel(namespace))
    if (other !== undefined) return lose(dmnLosses.severalModels(namespace, found.document, other.document))
    const part = this.#part(found.root, this.#keyOf(found), this.#positions.add(found.text))
    reportLanguage(this.#placed(part.root, part), this.#report)
    return part
  }

  #keyOf({ root, document }: LibraryModel): string {
    return variableName(root.attributes.get('name') ?? document, this.#keys)
  }

  /** The parts of imported models that the model requires, directly or indirectly, with their models. */
  #requiredOf(own: Part): ReadonlyMap<XmlElement, Part> {
    const byId = new Map(
      [...this.#parts.values()].map((part) => [part, new Map(part.root.children.map((one) => [idOf(one), one]))]),
    )
    const required = new Map<XmlElement, Part>()
    const open = own.root.children.map((element) => ({ element, part: own }))
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const reference of referencesOf(next.element)) {
        const target = targetOf(reference, next.part)
        const element = target && byId.get(target.part)?.get(target.id)
        if (target === undefined || element === undefined || target.part === own || required.has(element)) continue
        required.set(element, target.part)
        open.push({ element, part: target.part })
      }
    return required
  }

  /** Input data are members of a single input here: two with the same name would collide. */
  #reportInputs(own: Part, required: ReadonlyMap<XmlElement, Part>): void {
    const names = new Set(childrenOf(own.root, 'inputData').map(nameOf))
    for (const [element, part] of required) {
      if (element.local !== 'inputData') continue
      const name = nameOf(element)
      if (names.has(name))
        this.#report.error(this.#placed(element, part), [part.key, idOf(element)], dmnLosses.repeatedInput(name))
      names.add(name)
    }
  }

  #placed(element: XmlElement, part: Part): XmlElement {
    return { ...element, offset: element.offset + part.start }
  }

  /** The element with names that are unique among all models. */
  #rewritten(element: XmlElement, part: Part, isTop: boolean): XmlElement {
    const changed = new Map<string, string>()
    const { attributes, local } = element
    const type = attributes.get('typeRef')
    if (type !== undefined) changed.set('typeRef', typeIn(part, type))
    if (isTop && part.key !== '') {
      changed.set('id', `${part.key}.${idOf(element)}`)
      if (local === 'itemDefinition') changed.set('name', `${part.key}.${attributes.get('name') ?? ''}`)
    }
    const target = REFERENCES.has(local) ? targetOf(element, part) : undefined
    if (target !== undefined) changed.set('href', `#${target.part.key === '' ? '' : `${target.part.key}.`}${target.id}`)
    // A part of the importing model could have the same id.
    else if (REFERENCES.has(local) && part.key !== '')
      changed.set('href', `${part.key}.${attributes.get('href') ?? ''}`)
    if (local === 'text') this.#reportTypeNames(element, part)
    const rewritten: XmlElement = {
      uri: element.uri === part.root.uri ? this.#uri : element.uri,
      local,
      attributes: {
        get: (name) => changed.get(name) ?? attributes.get(name),
        getIn: attributes.getIn.bind(attributes),
      },
      children: element.children.map((child) => this.#rewritten(child, part, false)),
      text: local === 'typeRef' ? typeIn(part, element.text) : element.text,
      offset: element.offset + part.start,
    }
    const prefix = target && [...part.imports].find(([, imported]) => imported === target.part)?.[0]
    if (prefix !== undefined && prefix !== '') this.#prefixes.set(rewritten, `${prefix}.`)
    return rewritten
  }

  /** Type names within expressions are not rewritten, and may denote other types in the merged model. */
  #reportTypeNames(element: XmlElement, part: Part): void {
    if (!/\binstance\s+of\b|\bfunction\s*\(/u.test(element.text)) return
    const prefixes = Array.from(part.imports.keys(), (name) => (name === '' ? '' : `${name}.`))
    const names = [...(part.key === '' ? [] : part.types), ...prefixes].filter((name) => name !== '')
    const found = names.find((name) => element.text.includes(name))
    if (found !== undefined) this.#report.error(this.#placed(element, part), [part.key], dmnLosses.typeName(found))
  }
}

/** The references of a decision, a function or a service to other parts. */
function referencesOf(element: XmlElement): readonly XmlElement[] {
  return element.children.flatMap((child) =>
    REFERENCES.has(child.local) ? [child] : child.children.filter(({ local }) => REFERENCES.has(local)),
  )
}

/** The target of a reference; undefined if its model is not imported. */
function targetOf({ attributes }: XmlElement, part: Part): { readonly part: Part; readonly id: string } | undefined {
  const href = attributes.get('href')?.trim() ?? ''
  if (href === '') return undefined
  // Some tools write only the id.
  const at = href.indexOf('#')
  const [namespace, id] = at < 0 ? ['', href] : [href.slice(0, at), href.slice(at + 1)]
  const found =
    namespace === '' || namespace === part.namespace
      ? part
      : [...part.imports.values()].find((imported) => imported.namespace === namespace)
  return found && { part: found, id }
}

/** The name of a referenced type among all models. */
function typeIn(part: Part, reference: string): string {
  const name = reference.trim().replace(/^.*[:}]/, '')
  const keyOf = ({ key }: Part, type: string) => (key === '' ? type : `${key}.${type}`)
  if (part.types.has(name)) return keyOf(part, name)
  for (const [prefix, imported] of part.imports) {
    const type = prefix === '' ? name : name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : undefined
    if (type !== undefined && imported.types.has(type)) return keyOf(imported, type)
  }
  // An unknown type: a type of the importing model may have its name, even after a prefix.
  return part.key === '' || isBaseType(name) ? reference : `${part.key}~${name.replaceAll('.', '~')}`
}
