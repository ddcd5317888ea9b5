import { randomUUIDv7 } from 'node:crypto'
import type { Change } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { staleRevision } from '../../resources/revision.ts'
import { refuseRenaming } from '../../resources/document-name.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { Value } from '@engine/expression'

interface DocumentRow {
  readonly id: string
  readonly name: string
  readonly rev: number
}

/** The members that all documents have in the public API. */
interface ShownDocument {
  readonly id: string
  readonly name: string
  readonly rev: number
}

/** The columns that all rows have. */
interface NewRow {
  readonly id: string
  readonly project_id: string
  readonly created_by: string
}

/** A kind of project document that is identified by name: the operations that differ between kinds. */
interface DocumentKind<Row extends DocumentRow, Shown extends ShownDocument, Request, Columns, Extra> {
  readonly noun: 'fact' | 'concept' | 'contract'
  readonly rowIn: (scope: Scope, project: string, name: string) => Promise<Row | undefined>
  readonly show: (scope: Scope, project: string, rows: readonly Row[]) => Promise<readonly Shown[]>
  /** Throws 400 for a name that the kind does not allow. */
  readonly refuseName?: (name: string) => void
  /** The columns of a valid document. Throws 400. */
  readonly columnsOf: (scope: Scope, project: string, request: Request) => Promise<Columns>
  readonly insert: (scope: Scope, row: NewRow & Columns) => Promise<Row>
  readonly update: (scope: Scope, id: string, columns: Columns & { updated_at: Date; rev: number }) => Promise<Row>
  readonly delete: (scope: Scope, id: string) => Promise<unknown>
  /** Side effects of a new document. */
  readonly created?: (change: Change, project: string, after: Shown) => Promise<void>
  /** Side effects of a change; the result becomes part of the response. Throws for a change that is not allowed. */
  readonly replaced: (change: Change, project: string, before: Shown, after: Shown) => Promise<Extra>
  /** Throws if the document must not be deleted. */
  readonly deleting?: (shown: Shown) => void
  /** Side effects of a deletion. */
  readonly deleted?: (change: Change, project: string, before: Shown) => Promise<void>
}

/** Create, replace and delete documents of one kind, each in one transaction with its audit entry. */
export function documents<
  Row extends DocumentRow,
  Shown extends ShownDocument,
  Request extends { name: string },
  Columns,
  Extra,
>(kind: DocumentKind<Row, Shown, Request, Columns, Extra>) {
  const { noun } = kind

  /** Throws `not-found`. */
  async function rowBy(scope: Scope, project: string, name: string): Promise<Row> {
    const row = await kind.rowIn(scope, project, name)
    if (row === undefined) throw failures.notFound(noun, name)
    return row
  }

  async function shown(scope: Scope, project: string, row: Row): Promise<Shown> {
    const [one] = await kind.show(scope, project, [row])
    return one as Shown
  }

  /** A document to be changed. Throws `not-found`, and 409 if its revision is not the expected one. */
  async function present(scope: Scope, project: string, name: string, rev: number | undefined): Promise<Shown> {
    const row = await rowBy(scope, project, name)
    const before = await shown(scope, project, row)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    return before
  }

  const record = (verb: 'created' | 'updated' | 'deleted', object: ShownDocument) =>
    ({ action: `${noun}.${verb}`, object }) as const
  const audited = (document: Shown) => document as unknown as Value

  return {
    rowBy,

    async create(acting: Acting<InProject>, request: Request): Promise<Shown> {
      kind.refuseName?.(request.name)
      const { project } = acting.place
      return acting.change(async (change) => {
        const { scope, audit } = change
        const columns = await kind.columnsOf(scope, project.id, request)
        const own = { id: randomUUIDv7(), project_id: project.id, created_by: acting.by }
        const made = await shown(scope, project.id, await kind.insert(scope, { ...own, ...columns }))
        await audit({ ...record('created', made), after: audited(made) })
        await kind.created?.(change, project.id, made)
        return made
      }, request.name)
    },

    /** Replace a document. @param rev the revision that it must have, or undefined for any */
    async replace(
      acting: Acting<InProject>,
      name: string,
      request: Omit<Request, 'name'> & { readonly name?: string },
      rev: number | undefined,
    ): Promise<Shown & Extra> {
      refuseRenaming(name, request.name)
      const { project } = acting.place
      return acting.change(async (change) => {
        const { scope, audit } = change
        const before = await present(scope, project.id, name, rev)
        const columns = await kind.columnsOf(scope, project.id, { ...request, name } as Request)
        const changed = { ...columns, updated_at: new Date(), rev: before.rev + 1 }
        const after = await shown(scope, project.id, await kind.update(scope, before.id, changed))
        await audit({ ...record('updated', after), before: audited(before), after: audited(after) })
        return { ...after, ...(await kind.replaced(change, project.id, before, after)) }
      })
    },

    async remove(acting: Acting<InProject>, name: string, rev: number | undefined): Promise<void> {
      const { project } = acting.place
      await acting.change(async (change) => {
        const { scope, audit } = change
        const before = await present(scope, project.id, name, rev)
        kind.deleting?.(before)
        await kind.delete(scope, before.id)
        await audit({ ...record('deleted', before), before: audited(before) })
        await kind.deleted?.(change, project.id, before)
      })
    },
  }
}
