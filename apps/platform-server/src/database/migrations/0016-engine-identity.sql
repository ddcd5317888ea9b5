-- Where engines registered from, and whether they have proved that their address is theirs. Both begin anew with each registration.
alter table servers
  -- Null: registered before this was kept, or through a proxy that is not trusted. The next heartbeat fills it in.
  add column peer_address text,
  add column identity text not null default 'pending'
    check (identity in ('pending', 'proved', 'unsupported', 'failed')),
  -- Why it is not proved.
  add column identity_problem text;
