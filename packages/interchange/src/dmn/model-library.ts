import { XmlFault } from '../xml/read-xml.ts'
import { readTree, type XmlElement } from '../xml/tree.ts'
import { childrenOf, isModel, isModelNamespace } from './definitions.ts'

/**
 * Maximum number of elements of one document, and of all models of a library: 100,000 rules with four entries have
 * 900,000.
 */
export const MAX_ELEMENTS = 1_500_000

/** A decision model of a library. */
export interface LibraryModel {
  /** The name of its document, such as a path. */
  readonly document: string
  readonly text: string
  readonly root: XmlElement
}

/** Documents whose models can be imported. Each is parsed once, when the first model imports another. */
export class ModelLibrary {
  readonly #documents: Iterable<readonly [name: string, text: string]>
  readonly #mostElements: number
  #models: readonly LibraryModel[] | undefined

  /** `mostElements`: the limit for all documents together. */
  constructor(documents: Iterable<readonly [name: string, text: string]> = [], mostElements = MAX_ELEMENTS) {
    this.#documents = documents
    this.#mostElements = mostElements
  }

  /** The models of a namespace. Throws `TooLarge` when the documents have too many elements in total. */
  modelsOf(namespace: string): readonly LibraryModel[] {
    return this.#all().filter(({ root }) => namespaceOf(root) === namespace)
  }

  /** Whether a model of the library imports this namespace. Throws `TooLarge`. */
  isImported(namespace: string): boolean {
    return this.#all().some(({ root }) => modelImports(root).some((element) => namespaceOf(element) === namespace))
  }

  #all(): readonly LibraryModel[] {
    this.#models ??= readModels(this.#documents, this.#mostElements)
    return this.#models
  }
}

/** Imports of other decision models; imports of XML schemas and predictive models do not count. */
export const modelImports = (root: XmlElement): readonly XmlElement[] =>
  childrenOf(root, 'import').filter(({ attributes }) => isModelNamespace(attributes.get('importType')?.trim() ?? ''))

/** The namespace of a model or of an import. */
export const namespaceOf = ({ attributes }: XmlElement): string => attributes.get('namespace')?.trim() ?? ''

/** Skips documents of other kinds, which their own import reports. */
function readModels(
  documents: Iterable<readonly [name: string, text: string]>,
  mostElements: number,
): readonly LibraryModel[] {
  const models: LibraryModel[] = []
  let left = mostElements
  for (const [document, text] of documents)
    try {
      const root = readTree(text, left)
      left -= countOf(root)
      if (isModel(root)) models.push({ document, text, root })
    } catch (error) {
      if (!(error instanceof XmlFault)) throw error
    }
  return models
}

const countOf = ({ children }: XmlElement): number => children.reduce((sum, child) => sum + countOf(child), 1)
