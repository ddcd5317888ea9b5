import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely'

const CHANGES: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])

/** Counts the rows that the queries of one transaction change. */
export class ChangedRows implements KyselyPlugin {
  readonly #changing = new WeakSet<object>()
  /** Number of rows inserted, updated or deleted so far. */
  count = 0n

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    if (CHANGES.has(node.kind)) this.#changing.add(queryId)
    return node
  }

  async transformResult({ result, queryId }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    if (this.#changing.has(queryId)) this.count += result.numAffectedRows ?? 0n
    return result
  }
}
