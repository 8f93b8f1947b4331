-- wrk: `depth` identical requests in one write, as the seed's load did. Arguments: path depth
init = function(args)
  local path = args[1] or "/"
  local depth = tonumber(args[2]) or 16
  local requests = {}
  for i = 1, depth do
    requests[i] = wrk.format("GET", path)
  end
  batch = table.concat(requests)
end

request = function()
  return batch
end
