-- Engines that serve an environment for the candidates of its canaries alone.

alter table environment_servers
  add column canary_only boolean not null default false,
  -- Both kinds are in an order of their own.
  drop constraint environment_servers_org_id_environment_id_position_key,
  add unique (org_id, environment_id, canary_only, position) deferrable;

-- What it was for when the execution reached the environment.
alter table release_servers add column canary_only boolean not null default false;
