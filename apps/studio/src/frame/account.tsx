import { useQueryClient } from '@tanstack/react-query'
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components'
import { call } from '../api/client.ts'
import type { components } from '../api/schema.ts'
import { paths } from '../paths.ts'
import { type Language, LANGUAGES, useLanguage } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { useGo } from '../ui/link.tsx'
import { Avatar } from './avatar.tsx'
import { DOCUMENTATION, VERSION } from './documentation.ts'
import { useIds } from './place.ts'
import { chooseTheme, type Theme, THEMES, useTheme } from './theme.ts'

/** The account, appearance and language, and help. */
export function Account({ me, showKeys }: { readonly me: components['schemas']['Me']; readonly showKeys: () => void }) {
  const { t } = useLanguage()
  const name = nameOf(me)
  return (
    <MenuTrigger>
      <Button className="btn avatar-button" aria-label={t.frame.account}>
        <Avatar name={name} />
      </Button>
      <Popover className="menu" placement="bottom end">
        <header>
          <b>{name}</b>
          {me.user?.email !== name && <small>{me.user?.email}</small>}
        </header>
        <Items showKeys={showKeys} />
      </Popover>
    </MenuTrigger>
  )
}

const nameOf = ({ user }: components['schemas']['Me']) =>
  user === null ? '' : user.display_name === '' ? user.email : user.display_name

function Items({ showKeys }: { readonly showKeys: () => void }) {
  const { t, language, choose } = useLanguage()
  const { frame } = t
  const theme = useTheme()
  const go = useGo()
  const { oid } = useIds()
  const client = useQueryClient()
  const leave = async () => {
    await call('post', '/api/v1/auth/logout', {})
    client.clear()
    go(paths.signIn())
  }
  return (
    <Menu aria-label={frame.account}>
      <MenuSection aria-label={frame.account}>
        <MenuItem onAction={() => go(paths.account(oid))}>
          <Icon name="user" />
          {frame.yourAccount}
        </MenuItem>
      </MenuSection>
      <MenuSection
        selectionMode="single"
        selectedKeys={[theme]}
        onSelectionChange={(keys) => [...keys].forEach((key) => chooseTheme(key as Theme))}
      >
        <Header>{frame.theme}</Header>
        {THEMES.map((one) => (
          <MenuItem key={one} id={one}>
            <Icon name={one === theme ? 'check' : one === 'dark' ? 'moon' : one === 'light' ? 'sun' : 'settings'} />
            {frame.themes[one]}
          </MenuItem>
        ))}
      </MenuSection>
      <MenuSection
        selectionMode="single"
        selectedKeys={[language]}
        onSelectionChange={(keys) => [...keys].forEach((key) => choose(key as Language))}
      >
        <Header>{frame.language}</Header>
        {Object.entries(LANGUAGES).map(([id, label]) => (
          <MenuItem key={id} id={id}>
            <Icon name={id === language ? 'check' : 'language'} />
            {label}
          </MenuItem>
        ))}
      </MenuSection>
      <MenuSection>
        <Header>{frame.help}</Header>
        <MenuItem href={DOCUMENTATION} target="_blank">
          <Icon name="book" />
          {frame.documentation}
          <span className="kind tnum">{frame.version(VERSION)}</span>
        </MenuItem>
        <MenuItem onAction={showKeys}>
          <Icon name="key" />
          {frame.keyHelp}
        </MenuItem>
      </MenuSection>
      <MenuSection aria-label={frame.signOut}>
        <MenuItem onAction={() => void leave()}>
          <Icon name="out" />
          {frame.signOut}
        </MenuItem>
      </MenuSection>
    </Menu>
  )
}
