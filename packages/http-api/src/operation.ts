import type { TSchema } from 'typebox'
import type { QueryParameters } from './query.ts'

/** One operation of an interface, as its description shows it. */
export interface Operation {
  readonly method: string
  /** Segments that begin with a colon are parameters. */
  readonly path: string
  readonly summary: string
  /** Who may do it, and what else is to be known. */
  readonly description: string
  /** One of the tags of the interface. */
  readonly group: string
  /** No credentials are asked for. */
  readonly isOpen: boolean
  readonly body?: TSchema
  /** The body may be left out. */
  readonly isBodyOptional?: boolean
  /** Content types of the body; default `application/json`. */
  readonly consumes?: readonly string[]
  /** Headers that mean something to it, and what. */
  readonly headers?: Readonly<Record<string, string>>
  /** Those that mean something to it of the interface's `commonHeaders`. */
  readonly commonHeaders?: readonly string[]
  /** Parameters of its query. `any`: whatever comes is ignored. */
  readonly query?: QueryParameters | 'any'
  readonly answers: Readonly<Record<number, TSchema>>
  /** Headers of answers by their status, and what they say. */
  readonly answerHeaders?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** Content type of the answer of status 200; default `application/json`. */
  readonly produces?: string
  /** Answers of status 200 in further content types. */
  readonly otherAnswers?: Readonly<Record<string, TSchema>>
  /** The statuses with which it may refuse a request. */
  readonly refusals: readonly number[]
  /** Refusals that are its own, by status: in place of those that the interface has for all operations. */
  readonly ownRefusals?: Readonly<Record<number, Refusal>>
}

/** A refusal that many operations share. */
export interface Refusal {
  /** Of the component. */
  readonly name: string
  readonly code: string
  readonly description: string
  /** The message of the example, where its body is an error. */
  readonly example: string
  /** Bodies that come with this status, the one of the example first; default: the error. */
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
  /** What each group of operations is for. */
  readonly groups: Readonly<Record<string, string>>
  readonly refusals: Readonly<Record<number, Refusal>>
  /** The body of errors. */
  readonly error: TSchema
  /** Members of every error's example beside `error` and `code`. */
  readonly errorExample?: Readonly<Record<string, string>>
  /** The ways to send credentials; none when empty. */
  readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Headers that mean the same to many operations, and what. */
  readonly commonHeaders?: Readonly<Record<string, string>>
  /** What parameters of paths are. */
  readonly pathParameters: Readonly<Record<string, string>>
  /** Parameters of paths that are not texts. */
  readonly pathSchemas?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
