import type { TSchema } from 'typebox'
import type { QueryParameters } from './query.ts'

/** One operation in the description of an interface. */
export interface Operation {
  readonly method: string
  /** Segments that begin with a colon are parameters. */
  readonly path: string
  readonly summary: string
  /** Required permissions, and other remarks. */
  readonly description: string
  /** One of the tags of the interface. */
  readonly group: string
  /** No credentials required. */
  readonly isOpen: boolean
  readonly body?: TSchema
  /** The body may be omitted. */
  readonly isBodyOptional?: boolean
  /** Content types of the body; default `application/json`. */
  readonly consumes?: readonly string[]
  /** Examples of bodies that are not JSON, by content type. */
  readonly bodyExamples?: Readonly<Record<string, string>>
  /** Headers that it evaluates, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>
  /** The interface's `commonHeaders` that it evaluates. */
  readonly commonHeaders?: readonly string[]
  /** Query parameters. `any`: all parameters are ignored. */
  readonly query?: QueryParameters | 'any'
  readonly answers: Readonly<Record<number, TSchema>>
  /** Response headers by status, with their meaning. */
  readonly answerHeaders?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** Content type of the response with status 200; default `application/json`. */
  readonly produces?: string
  /** Responses with status 200 in other content types. */
  readonly otherAnswers?: Readonly<Record<string, TSchema>>
  /** Statuses with which it may reject a request. */
  readonly refusals: readonly number[]
  /** Its own error responses by status, which override those of the interface. */
  readonly ownRefusals?: Readonly<Record<number, Refusal>>
}

/** An error response shared by many operations. */
export interface Refusal {
  /** Name of the component. */
  readonly name: string
  readonly code: string
  readonly description: string
  /** The example message if its body is an error. */
  readonly example: string
  /** Bodies of this status, that of the example first; default: the error. */
  readonly bodies?: readonly TSchema[]
  readonly headers?: Readonly<Record<string, string>>
}

/** An interface apart from its operations. */
export interface HttpInterface {
  readonly title: string
  readonly version: string
  readonly description: string
  /** Path before all others; default `/`. */
  readonly basePath?: string
  /** The purpose of each group of operations. */
  readonly groups: Readonly<Record<string, string>>
  readonly refusals: Readonly<Record<number, Refusal>>
  /** The body of errors. */
  readonly error: TSchema
  /** Members of every example error in addition to `error` and `code`. */
  readonly errorExample?: Readonly<Record<string, string>>
  /** The ways to send credentials; none when empty. */
  readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Headers with the same meaning for many operations. */
  readonly commonHeaders?: Readonly<Record<string, string>>
  /** Schemas of request headers by name, unless they are plain texts. */
  readonly headerSchemas?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Descriptions of path parameters by name, or by the segment before it and name: `cases/id`. */
  readonly pathParameters: Readonly<Record<string, string>>
  /** Schemas of path parameters that are not texts. */
  readonly pathSchemas?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
