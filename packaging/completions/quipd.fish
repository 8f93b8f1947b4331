# SPDX-License-Identifier: MIT
# Completion of quipd(8) for fish.

complete -c quipd -f
complete -c quipd -s h -l help -d 'print help'

complete -c quipd -n __fish_use_subcommand -a check -d 'say what is wrong with a configuration'
complete -c quipd -n __fish_use_subcommand -a explain -d 'say which rule answers a request, and why'
complete -c quipd -n __fish_use_subcommand -a routes -d 'list the rules'
complete -c quipd -n __fish_use_subcommand -a run -d 'serve in the foreground'
complete -c quipd -n __fish_use_subcommand -a version -d 'versions of quipd and its libraries'

set -l load '__fish_seen_subcommand_from check explain routes run'
complete -c quipd -n $load -s c -l config -r -F -d 'configuration file, - for standard input'
complete -c quipd -n $load -s e -l rule -x -d 'a rule as YAML'
complete -c quipd -n $load -l listen -x -d 'listen here instead of where the file says'
complete -c quipd -n $load -l profile -x -a 'dev prod' -d 'profile to lay over the configuration'

set -l explain '__fish_seen_subcommand_from explain'
complete -c quipd -n $explain -s H -l header -x -d 'field of the request to explain'
complete -c quipd -n $explain -a 'GET HEAD POST PUT PATCH DELETE OPTIONS'
