# SPDX-License-Identifier: MIT
# Completion of quipd(8) for bash.
# shellcheck shell=bash

_quipd() {
  local cur prev words cword
  _init_completion -n : || return
  local commands="check explain routes run version"
  local command="" index
  for ((index = 1; index < cword; ++index)); do
    case " $commands " in
      *" ${words[index]} "*) command=${words[index]}; break ;;
    esac
  done

  case "$prev" in
    -c|--config) _filedir '@(yaml|yml|conf)'; return ;;
    --profile) mapfile -t COMPREPLY < <(compgen -W "dev prod" -- "$cur"); return ;;
    -e|--rule|--listen|-H|--header) return ;;
  esac

  local load="-c --config -e --rule --listen --profile"
  local options=""
  case "$command" in
    "") options="$commands --help" ;;
    check|run|routes) options="$load --help" ;;
    explain)
      options="$load -H --header --help"
      [[ $cur == -* ]] || options="GET HEAD POST PUT PATCH DELETE OPTIONS" ;;
    version) options="--help" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
} &&
  complete -F _quipd quipd
