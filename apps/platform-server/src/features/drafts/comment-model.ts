import { type Static, Type } from 'typebox'
import { CommentPlace, CommentText } from '../../resources/comment-fields.ts'
import { Id, Time } from '../../resources/resource-fields.ts'

/** A member's comment on a part of a draft. */
export const DraftComment = Type.Object(
  {
    id: Id,
    place: Type.String({ description: 'JSON pointer into the ruleset, whose list items are named by their ids' }),
    text: Type.String(),
    settled: Type.Boolean({ description: 'whether nothing remains to be done about it' }),
    created_at: Time('of the comment'),
    created_by: Type.String({ description: 'id of the user' }),
    updated_at: Time('of the last change'),
    updated_by: Type.String({ description: 'id of the user' }),
  },
  { title: 'DraftComment' },
)
export type DraftComment = Static<typeof DraftComment>

/** The text must contain more than white space. */
export const DraftCommentRequest = Type.Object(
  {
    place: CommentPlace('JSON pointer such as `/steps/prices/rows/r2/cells/country`; empty: the whole ruleset'),
    text: CommentText,
  },
  { title: 'DraftCommentRequest', examples: [{ place: '/steps/age', text: 'Why 18?' }] },
)
export type DraftCommentRequest = Static<typeof DraftCommentRequest>

/** The members of a comment to change; omitted members keep their values. */
export const DraftCommentChange = Type.Object(
  { text: Type.Optional(CommentText), settled: Type.Optional(Type.Boolean()) },
  {
    title: 'DraftCommentChange',
    examples: [{ settled: true }],
    minProperties: 1,
    description: 'only its author may change the text',
  },
)
export type DraftCommentChange = Static<typeof DraftCommentChange>
