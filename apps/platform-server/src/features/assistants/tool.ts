import type { Value } from '@engine/expression'
import { bodyFaults, refuseFaults } from '@engine/http-api'
import type { Static, TObject } from 'typebox'
import type { Action } from '../../access/actions.ts'
import type { KeyHolder } from '../../access/caller.ts'
import type { Author } from '../../database/audit.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { Params } from './protocol.ts'

/** The project and caller that a tool works for. */
export interface ToolPlace {
  readonly place: InProject
  readonly caller: KeyHolder
  readonly author: Author
}

/** A tool as assistants see it. */
interface ToolFacts {
  readonly name: string
  readonly description: string
  /** The right that the key needs in the project. */
  readonly right: 'member' | Action
  /** Whether the tool stores anything. */
  readonly changes?: boolean
}

export interface Tool extends ToolFacts {
  readonly schema: TObject
  /** Throws 400 for arguments that do not match its schema. */
  readonly run: (given: Params, at: ToolPlace) => Promise<Value>
}

/** Define a tool from its description, the schema of its arguments, and its implementation. */
export function tool<Schema extends TObject>(
  row: ToolFacts & {
    readonly schema: Schema
    readonly run: (given: Static<Schema>, at: ToolPlace) => Promise<Value>
  },
): Tool {
  return {
    ...row,
    run(given, at) {
      refuseFaults(bodyFaults(row.schema, given))
      return row.run(given as Static<Schema>, at)
    },
  }
}

/** The entry of a tool in the response of `tools/list`. */
export function describedTool({ name, description, schema, changes = false }: Tool): Value {
  return {
    name,
    description,
    inputSchema: { ...schema, additionalProperties: false } as unknown as Value,
    annotations: { readOnlyHint: !changes, destructiveHint: false, openWorldHint: false },
  }
}
