import { Type } from 'typebox'

/** The place of a comment: a JSON pointer that identifies list items by id, so that it follows rows that move. */
export const CommentPlace = (description: string) =>
  Type.String({ maxLength: 1000, pattern: String.raw`^(?:/(?:[^~/]|~[01])*)*$`, description })

/** Text of a comment; not only white space. */
export const CommentText = Type.String({ minLength: 1, maxLength: 10_000, pattern: String.raw`\S` })
