import type { Texts } from '../en.ts'

export const notices: Texts['notices'] = {
  title: '通知',
  button: (unread) => (unread === 0 ? '通知' : `通知，${unread} 条未读`),
  none: '没有通知',
  unread: '未读',
  unreadOnly: '仅显示未读',
  readAll: '全部标为已读',
  inbox: '打开收件箱',
  approval: (number, title) => `发布单 ${number}“${title}”等待您批准`,
  failed: (number, title, error) => `发布单 ${number}“${title}”失败${error === '' ? '' : `：${error}`}`,
  commented: (number, title, author) => `${author} 评论了发布单 ${number}“${title}”`,
  tests: (name, failed, total) => `您运行的“${name}”测试：${total} 项中 ${failed} 项失败`,
  member: (event, email) =>
    event === 'invited'
      ? `已邀请 ${email}`
      : event === 'joined'
        ? `${email} 已加入`
        : event === 'removed'
          ? `${email} 已被移除`
          : `${email} 的角色已更改`,
}

export const inbox: Texts['inbox'] = {
  title: '收件箱',
  text: '此组织中等待您处理的事项。',
  approvals: '等待您批准',
  noApprovals: '没有等待您的发布单',
  noApprovalsText: '您可以批准的发布单一经提出就会显示在此处。',
  project: '项目',
  author: '申请人',
  waiting: '待您审批',
  invitations: '尚未答复的邀请',
  invitationsText: '已邀请但尚未接受的人员。',
  noInvitations: '没有待答复的邀请',
  noInvitationsText: '您邀请的人在接受之前会显示在此处。',
  expires: '失效时间',
  revoke: '撤回',
}
