import { useQueryClient } from '@tanstack/react-query'
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components'
import { call } from '../api/client.ts'
import type { components } from '../api/schema.ts'
import { paths } from '../paths.ts'
import { type Language, LANGUAGES, useLanguage } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { useGo } from '../ui/link.tsx'
import { chooseTheme, type Theme, THEMES, useTheme } from './theme.ts'

/** Appearance, language and the account. */
export function Account({ me, showKeys }: { readonly me: components['schemas']['Me']; readonly showKeys: () => void }) {
  const { t, language, choose } = useLanguage()
  const theme = useTheme()
  const go = useGo()
  const client = useQueryClient()
  const { frame } = t
  const leave = async () => {
    await call('post', '/api/v1/auth/logout', {})
    client.clear()
    go(paths.signIn())
  }
  return (
    <MenuTrigger>
      <Button className="btn icon" data-kind="quiet" aria-label={frame.account}>
        <Icon name="user" />
      </Button>
      <Popover className="menu" placement="bottom end">
        <header>{me.user?.email}</header>
        <Menu aria-label={frame.account}>
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
            {Object.entries(LANGUAGES).map(([id, name]) => (
              <MenuItem key={id} id={id}>
                <Icon name={id === language ? 'check' : 'language'} />
                {name}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuSection>
            <Header>{frame.account}</Header>
            <MenuItem onAction={showKeys}>
              <Icon name="key" />
              {frame.keyHelp}
            </MenuItem>
            <MenuItem onAction={() => void leave()}>
              <Icon name="out" />
              {frame.signOut}
            </MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
