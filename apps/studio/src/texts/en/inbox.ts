export const notices = {
  title: 'Notifications',
  button: (unread: number) => (unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`),
  none: 'There is no notification',
  unread: 'unread',
  unreadOnly: 'Unread only',
  readAll: 'Mark all as read',
  inbox: 'Open the inbox',
  approval: (number: number, title: string) => `Release ${number}, ${title}, waits for your approval`,
  failed: (number: number, title: string, error: string) =>
    `Release ${number}, ${title}, has failed${error === '' ? '' : `: ${error}`}`,
  commented: (number: number, title: string, author: string) => `${author} commented on release ${number}, ${title}`,
  tests: (name: string, failed: number, total: number) => `Tests of ${name} that you ran: ${failed} of ${total} failed`,
  member: (event: string, email: string) =>
    event === 'invited'
      ? `${email} was invited`
      : event === 'joined'
        ? `${email} has joined`
        : event === 'removed'
          ? `${email} was removed`
          : `The roles of ${email} were changed`,
}

export const inbox = {
  title: 'Inbox',
  text: 'What waits for you in this organization.',
  approvals: 'Waiting for your approval',
  noApprovals: 'No release waits for you',
  noApprovalsText: 'Releases that you may approve appear here when they are requested.',
  project: 'Project',
  author: 'Requested by',
  waiting: 'waiting for your approval',
  invitations: 'Invitations without an answer',
  invitationsText: 'People who were invited and have not accepted yet.',
  noInvitations: 'No invitation is open',
  noInvitationsText: 'People whom you invite stay here until they accept.',
  expires: 'Ends',
  revoke: 'Withdraw',
}
