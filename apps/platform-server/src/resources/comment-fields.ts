import { Type } from 'typebox'

/** Where a comment belongs: a JSON pointer whose list items are named by their ids, so that it follows rows that move. */
export const CommentPlace = (description: string) =>
  Type.String({ maxLength: 1000, pattern: String.raw`^(?:/(?:[^~/]|~[01])*)*$`, description })

/** Text of a comment; more than white space. */
export const CommentText = Type.String({ minLength: 1, maxLength: 10_000, pattern: String.raw`\S` })
