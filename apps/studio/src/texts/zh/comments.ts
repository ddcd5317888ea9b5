import type { CommentTexts } from '../en/comments.ts'

export const comments: CommentTexts = {
  comment: '评论',
  commentOn: (place) => `评论“${place}”`,
  commentsOn: (place) => `“${place}”的评论`,
  settled: '已解决',
  settle: '标为已解决',
  reopen: '重新打开',
  remove: '删除',
}
