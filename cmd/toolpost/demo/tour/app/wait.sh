echo "pid $$" > app/wait.pid
echo "waiting for a server that never answers"
sleep 600 &
wait
