import { useSend } from '../api/data.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { type Notification, noticeOf } from './notification-text.ts'
import { useIds } from './route-scope.ts'

const NOTIFICATIONS = '/api/v1/orgs/{oid}/notifications'

/** Notifications, each with a link to its subject; opening one marks it as read. */
export function NoticeList({
  items,
  opened,
}: {
  readonly items: readonly Notification[]
  readonly opened?: () => void
}) {
  const texts = useTexts()
  const { notices } = texts
  const { oid } = useIds()
  const time = useTime()
  const read = useSend('post', `${NOTIFICATIONS}/{nid}/read`, [NOTIFICATIONS, `${NOTIFICATIONS}/count`])
  if (items.length === 0) return <p className="muted none">{notices.none}</p>
  return (
    <ul className="notice-list">
      {items.map((item) => {
        const { icon, text, to } = noticeOf(item, oid, texts)
        const isUnread = item.read_at === null
        return (
          <li key={item.id} data-unread={isUnread ? '' : undefined}>
            <Go
              to={to}
              onClick={() => {
                if (isUnread) read.mutate({ path: { oid, nid: item.id } })
                opened?.()
              }}
            >
              <Icon name={icon} />
              <span>
                {text}
                <small className="muted tnum">{time(item.created_at)}</small>
              </span>
              {isUnread && <span className="vh">{notices.unread}</span>}
            </Go>
          </li>
        )
      })}
    </ul>
  )
}
