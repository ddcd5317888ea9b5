/** Comments on drafts and releases. */
export const comments = {
  comment: 'Comment',
  commentOn: (place: string) => `Comment on ${place}`,
  commentsOn: (place: string) => `Comments on ${place}`,
  settled: 'settled',
  settle: 'Settle',
  reopen: 'Open again',
  remove: 'Delete',
}

/** The type of these texts in every language. */
export type CommentTexts = typeof comments
